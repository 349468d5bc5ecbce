import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { mockToolsOf } from "./agent-words.ts";
import styles from "./agents.module.css";
import { mockToolsQuery } from "./queries.ts";

/** The mock tools of the project that apply to an agent. */
export function AgentTools({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(mockToolsQuery(place));
  const tools = data && mockToolsOf(data, agentId);
  return (
    <Section
      title="Mock tools"
      action={
        <Link to="/o/$organizationId/p/$project/mock-tools" params={place.params}>
          All mock tools
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {tools === undefined && !error && <Skeleton rows={2} />}
      {tools?.length === 0 && (
        <p className={styles["muted"]}>
          No mock tool of the project applies to this agent. A test can still have its own.
        </p>
      )}
      {tools !== undefined && tools.length > 0 && (
        <Table
          label="Mock tools"
          columns={[{ head: "Tool" }, { head: "Result", width: "60%" }, { head: "Applies to", wideOnly: true }]}
        >
          {tools.map(({ id, tool, answer, error: message, agentIds }) => (
            <tr key={id}>
              <td>
                <code>{tool}</code>
              </td>
              <td className={tables["clip"]}>
                {message === undefined ? <code>{JSON.stringify(answer)}</code> : `Fails: ${message}`}
              </td>
              <td className={classes(tables["wideOnly"], styles["muted"])}>
                {agentIds.length === 0
                  ? "Every agent"
                  : agentIds.length === 1
                    ? "This agent"
                    : `${agentIds.length} agents`}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
