import type { Alert, AlertRule } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { formatMs } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { searchOfWindow } from "./alert-words.ts";
import styles from "./alerts.module.css";
import { alertConversationsQuery } from "./queries.ts";

/** An alert about a latency shows the slowest conversations of its window. */
export function AlertConversations({ alert, rule }: { alert: Alert; rule: AlertRule }) {
  const place = usePlace();
  const search = searchOfWindow(rule, alert.agentName, { from: alert.windowStartedAt, to: alert.raisedAt });
  const { data: traces, error, refetch } = useQuery(alertConversationsQuery(place, search, rule));
  return (
    <Card
      title={"sort" in search ? "Its slowest conversations" : "Its conversations"}
      action={
        <Link
          to="/o/$organizationId/p/$project/conversations"
          params={place.params}
          search={search}
          className={buttonClass("plain", true)}
        >
          Show all
        </Link>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {traces === undefined && !error && <Skeleton rows={3} />}
      {traces?.length === 0 && <p className={styles["muted"]}>No conversation of this window is left.</p>}
      {traces !== undefined && traces.length > 0 && (
        <Table
          label="Conversations of the alert"
          columns={[
            { head: "Conversation", width: "60%" },
            { head: "Latency", numeric: true },
            { head: "Started", numeric: true },
          ]}
        >
          {traces.map(({ traceId, preview, responseLatency, startedAt }) => (
            <tr key={traceId}>
              <td className={tables["name"]}>
                <Link to="/o/$organizationId/p/$project/conversations/$traceId" params={{ ...place.params, traceId }}>
                  <UserText inline text={preview ?? "No words"} />
                </Link>
              </td>
              <td className={tables["num"]}>{formatMs(responseLatency?.mean)}</td>
              <td className={tables["num"]}>
                <Time at={startedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
