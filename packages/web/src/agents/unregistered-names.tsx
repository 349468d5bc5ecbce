import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { formatCount } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./agents.module.css";

type UnregisteredNamesProps = {
  names: ReturnType<typeof unregisteredOf>;
  onCreate: (name: string) => void;
};

/** The agent names of production conversations for which the project has no agent. */
export function UnregisteredNames({ names, onCreate }: UnregisteredNamesProps) {
  const { params, canWrite } = usePlace();
  return (
    <div className={styles["unregistered"]}>
      <Section
        title="Other names in conversations"
        note="Their conversations are here. An agent with the same name can also be tested."
      >
        <Table
          label="Other names in conversations"
          columns={[
            { head: "Name" },
            { head: "Conversations, 7 days", numeric: true },
            { head: "With errors", numeric: true, wideOnly: true },
            ...(canWrite ? [{ head: "" }] : []),
          ]}
        >
          {names.map(({ agentName, conversations, errors }) => (
            <tr key={agentName}>
              <td className={tables["name"]}>
                <Link
                  to="/o/$organizationId/p/$project/conversations"
                  params={params}
                  search={{ agent: agentName ?? undefined }}
                >
                  <UserText inline text={agentName ?? ""} />
                </Link>
              </td>
              <td className={tables["num"]}>{formatCount(conversations)}</td>
              <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(errors)}</td>
              {canWrite && (
                <td className={tables["end"]}>
                  <Button small onClick={() => onCreate(agentName ?? "")}>
                    Create agent
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </Table>
      </Section>
    </div>
  );
}

type Series = Pick<
  Answer<Operations["metrics"]["conversations"]>["series"][number],
  "agentName" | "conversations" | "errors"
>;

export const unregisteredOf = (series: readonly Series[], agents: readonly { name: string }[]): Series[] =>
  series
    .filter(({ agentName }) => agentName !== null && !agents.some(({ name }) => name === agentName))
    .toSorted((a, b) => b.conversations - a.conversations);
