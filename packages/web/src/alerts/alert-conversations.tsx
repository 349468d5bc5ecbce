import type { Alert, AlertRule } from "@svc/contract";
import { watchedValueText } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Failure } from "../ui/notice.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./alerts.module.css";
import { alertConversationsQuery } from "./queries.ts";

/** The conversations that raised the alert. The list of conversations has all of them. */
export function AlertConversations({ alert, rule }: { alert: Alert; rule: AlertRule | undefined }) {
  const place = usePlace();
  const { conversations } = alert;
  const {
    data: traces,
    error,
    refetch,
  } = useQuery({
    ...alertConversationsQuery(place, alert.id),
    enabled: conversations.length > 0,
  });
  const found = new Map(traces?.map((trace) => [trace.traceId, trace]));
  const hasValues = conversations.some(({ value }) => value !== null);
  const hasTurns = conversations.some(({ turn }) => turn !== null);
  if (rule?.watch.kind === "import_failures")
    return (
      <Card title="The calls">
        <p>
          A call that is not imported is no conversation yet.{" "}
          <Link to="/o/$organizationId/p/$project/monitoring" params={place.params}>
            Open the import failures
          </Link>
        </p>
      </Card>
    );
  return (
    <Card
      title="The conversations that raised it"
      note={conversations.length > 1 && (hasValues || hasTurns) ? "worst first" : undefined}
      action={
        conversations.length > 0 && (
          <Link
            to="/o/$organizationId/p/$project/conversations"
            params={place.params}
            search={{ alert: alert.id }}
            className={buttonClass("plain", true)}
          >
            Show all
          </Link>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {conversations.length === 0 ? (
        <p className={styles["muted"]}>
          {alert.samples === 0
            ? "The window had no conversation that counts."
            : "None is stored. They were deleted, or an earlier version of the service raised the alert."}
        </p>
      ) : (
        <Table
          label="Conversations of the alert"
          columns={[
            { head: "Conversation", width: "60%" },
            ...(hasValues ? [{ head: "Value", numeric: true }] : []),
            ...(hasTurns ? [{ head: "Turn", numeric: true }] : []),
            { head: "Started", numeric: true },
          ]}
        >
          {conversations.map(({ traceId, turn, value }) => (
            <tr key={traceId}>
              <td className={tables["name"]}>
                <Link
                  to="/o/$organizationId/p/$project/conversations/$traceId"
                  params={{ ...place.params, traceId }}
                  search={{ turn: turn ?? undefined }}
                >
                  <UserText inline text={found.get(traceId)?.preview ?? traceId} />
                </Link>
              </td>
              {hasValues && (
                <td className={tables["num"]}>{value === null ? "–" : watchedValueText(value, alert.unit)}</td>
              )}
              {hasTurns && <td className={tables["num"]}>{turn === null ? "–" : turn + 1}</td>}
              <td className={tables["num"]}>
                <Time at={found.get(traceId)?.startedAt ?? null} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
