import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { troubledConversationsQuery } from "./queries.ts";

/** The newest production conversations with a failed span. */
export function TroubledConversations() {
  const place = usePlace();
  const { data, error, refetch } = useQuery(troubledConversationsQuery(place));
  return (
    <Section
      title="Conversations with errors"
      action={
        <Link
          to="/o/$organizationId/p/$project/conversations"
          params={place.params}
          search={{ status: "error", source: "production" }}
        >
          All
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {!data && !error && <Skeleton rows={4} />}
      {data?.traces.length === 0 && <p className={tables["faint"]}>No production conversation has a failed span.</p>}
      {data && data.traces.length > 0 && (
        <Table
          label="Newest conversations with errors"
          columns={[
            { head: "Agent" },
            { head: "First words", width: "50%" },
            { head: "Errors", numeric: true },
            { head: "Started", numeric: true },
          ]}
        >
          {data.traces.map((trace) => (
            <tr key={trace.traceId}>
              <td className={tables["name"]}>
                <Link
                  to="/o/$organizationId/p/$project/conversations/$traceId"
                  params={{ ...place.params, traceId: trace.traceId }}
                >
                  {trace.agentName === null ? "Without a name" : <UserText inline text={trace.agentName} />}
                </Link>
              </td>
              <td className={tables["clip"]}>
                {trace.preview === null ? (
                  <span className={tables["faint"]}>no words</span>
                ) : (
                  <UserText inline text={trace.preview} />
                )}
              </td>
              <td className={tables["num"]}>{formatCount(trace.errorCount)}</td>
              <td className={tables["num"]}>
                <span className={tables["faint"]}>
                  <Time at={trace.startedAt} />
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
