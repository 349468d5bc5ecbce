import type { Alert } from "@svc/contract";
import { alertLimitText } from "@svc/contract/constants";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { usePlace } from "../shell/place.ts";
import { Section } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { agentWords, valueWords } from "./alert-words.ts";
import styles from "./alerts.module.css";
import { alertPages } from "./queries.ts";

type AlertsSectionProps = {
  title: string;
  filter: { state?: "open" | "cleared"; alertRuleId?: string };
  /** Content of the section when there is no alert. If undefined, an empty section is left out. */
  empty?: ReactNode;
};

export function AlertsSection({ title, filter, empty }: AlertsSectionProps) {
  const list = useInfiniteQuery(alertPages(usePlace(), filter));
  const alerts = list.data?.pages.flatMap((page) => page.alerts);
  if (alerts?.length === 0 && empty === undefined) return null;
  return (
    <Section title={title}>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {alerts === undefined && !list.error && <Skeleton rows={3} />}
      {alerts?.length === 0 && <p className={styles["muted"]}>{empty}</p>}
      {alerts !== undefined && alerts.length > 0 && (
        <>
          <AlertsTable label={title} alerts={alerts} />
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </Section>
  );
}

function AlertsTable({ label, alerts }: { label: string; alerts: readonly Alert[] }) {
  const { params } = usePlace();
  return (
    <Table
      label={label}
      stacked
      columns={[
        { head: "Alert", width: "46%" },
        { head: "State", width: "24%" },
        { head: "Value" },
        { head: "Raised", numeric: true },
      ]}
    >
      {alerts.map((alert) => (
        <tr key={alert.id}>
          <td className={tables["name"]}>
            <div className={styles["cell"]}>
              <Link to="/o/$organizationId/p/$project/alerts/$alertId" params={{ ...params, alertId: alert.id }}>
                <UserText inline text={`${agentWords(alert.agentName)}: ${alert.what}`} />
              </Link>
              <div className={styles["muted"]}>
                <UserText inline text={alert.ruleName} />
              </div>
            </div>
          </td>
          <td>
            <div className={styles["cell"]}>
              <SeverityChip severity={alert.severity} />
              <div className={styles["muted"]}>
                <AlertProgress alert={alert} />
              </div>
            </div>
          </td>
          <td>
            <div className={styles["cell"]}>
              {valueWords(alert)}
              <div className={styles["muted"]}>{alertLimitText(alert)}</div>
            </div>
          </td>
          <td className={classes(tables["num"], tables["faint"])}>
            <Time at={alert.raisedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function AlertProgress({
  alert: { state, clearedAt, clearedBecause, acknowledgedAt, acknowledgedBy },
}: {
  alert: Alert;
}) {
  if (state === "cleared")
    return (
      <>
        Cleared <Time at={clearedAt} />
        {clearedBecause === "rule_changed" && ", its rule changed"}
      </>
    );
  if (acknowledgedAt === null) return "Nobody has acknowledged it";
  return (
    <>
      Acknowledged by <bdi>{acknowledgedBy ?? "somebody who has left"}</bdi>
    </>
  );
}

const SEVERITIES: Record<Alert["severity"], { tone: "plain" | "warning" | "failed"; icon: LucideIcon; word: string }> =
  {
    info: { tone: "plain", icon: Info, word: "Info" },
    warning: { tone: "warning", icon: TriangleAlert, word: "Warning" },
    critical: { tone: "failed", icon: CircleAlert, word: "Critical" },
  };

export function SeverityChip({ severity }: { severity: Alert["severity"] }) {
  const { tone, icon, word } = SEVERITIES[severity];
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  );
}
