import type { Alert, AlertRule } from "@svc/contract";
import { alertIntervalText, alertLimitText, contentOfRule, LIMITS, watchedWords } from "@svc/contract/constants";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { BellOff, Check, CircleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { queries, refresh } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { RecordFailure } from "../ui/empty.tsx";
import { TextArea } from "../ui/field.tsx";
import { formatCount } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { agentWords, isMuted, muteOf, opensWindows, valueWords, windowWords } from "./alert-words.ts";
import { AlertConversations } from "./alert-conversations.tsx";
import { AlertsLink } from "./alerts-link.tsx";
import { SeverityChip } from "./alerts-table.tsx";
import styles from "./alerts.module.css";
import { MuteDialog } from "./mute-dialog.tsx";
import { alertQuery, alertRuleQuery, previewQuery } from "./queries.ts";
import { SeriesPlot } from "./series-plot.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/alerts/$alertId");

const DAY_MS = 86_400_000;
const PREVIEW_DAYS_MAX = 60;
/** Number of windows that are shown before and after the window that raised the alert. */
const AROUND = 48;
const BEFORE_MIN = 7;

export function AlertPage() {
  const { alertId } = route.useParams();
  const place = usePlace();
  const { data: alert, error, refetch } = useQuery(alertQuery(place, alertId));
  const { data: rule } = useQuery({
    ...alertRuleQuery(place, alert?.alertRuleId ?? ""),
    enabled: alert !== undefined,
  });
  if (alert === undefined)
    return (
      <Page title="Alert" above={<AlertsLink />}>
        {error ? (
          <RecordFailure error={error} again={refetch} noun="alert" action={<AlertsLink button />}>
            It never existed, it belongs to another project, or its rule was deleted.
          </RecordFailure>
        ) : (
          <Skeleton rows={8} />
        )}
      </Page>
    );
  return (
    <Page title={`${agentWords(alert.agentName)}: ${alert.what}`} above={<AlertsLink />}>
      {error && <Failure error={error} again={refetch} />}
      <div className={styles["alert"]}>
        <Card title="What was bad" action={<SeverityChip severity={alert.severity} />}>
          <p className={styles["what"]}>
            <UserText inline text={`${agentWords(alert.agentName)}: ${alert.what}`} />
          </p>
          <p className={styles["value"]}>
            <b>{valueWords(alert)}</b> {alertLimitText(alert)}
          </p>
          <Facts alert={alert} rule={rule} />
        </Card>
        <Card title="Who takes care of it">
          <Acknowledgement alert={alert} />
        </Card>
      </div>
      {rule !== undefined && <Around alert={alert} rule={rule} />}
      <AlertConversations alert={alert} rule={rule} />
    </Page>
  );
}

function Facts({ alert, rule }: { alert: Alert; rule: AlertRule | undefined }) {
  const { params, canWrite } = usePlace();
  const [muting, setMuting] = useState<"rule" | "agent">();
  const interval = alertIntervalText(alert);
  const mute = rule && muteOf(rule, alert.agentName);
  return (
    <>
      <KeyValues
        items={[
          [
            "State",
            alert.state === "open" ? (
              <Chip key="open" tone="failed" icon={CircleAlert}>
                Open
              </Chip>
            ) : (
              <span key="cleared" className={styles["chips"]}>
                <Chip tone="passed" icon={Check}>
                  Cleared
                </Chip>
                <span>
                  <Time at={alert.clearedAt} absolute />
                  {alert.clearedBecause === "rule_changed" && ", because its rule changed"}
                </span>
              </span>
            ),
          ],
          [
            "Window",
            <span key="window">
              <Time at={alert.windowStartedAt} absolute /> to <Time at={alert.raisedAt} absolute />
            </span>,
          ],
          ["Samples", formatCount(alert.samples)],
          ...(interval === undefined ? [] : [["95 % interval", interval] as [string, string]]),
          [
            "Rule",
            <span key="rule" className={styles["chips"]}>
              <Link
                to="/o/$organizationId/p/$project/alerts/rules/$alertRuleId"
                params={{ ...params, alertRuleId: alert.alertRuleId }}
              >
                <UserText inline text={alert.ruleName} />
              </Link>
              {rule !== undefined && isMuted(rule) && (
                <span>
                  muted until <Time at={rule.mutedUntil} absolute />
                </span>
              )}
              {mute && (
                <span>
                  muted for this agent until <Time at={mute.until} absolute />
                </span>
              )}
              {canWrite && rule !== undefined && !isMuted(rule) && (
                <>
                  {!mute && (
                    <Button small onClick={() => setMuting("agent")}>
                      <BellOff size={14} aria-hidden />
                      Mute this agent…
                    </Button>
                  )}
                  <Button small onClick={() => setMuting("rule")}>
                    <BellOff size={14} aria-hidden />
                    Mute the rule…
                  </Button>
                </>
              )}
            </span>,
          ],
        ]}
      />
      {muting !== undefined && rule !== undefined && (
        <MuteDialog
          rule={rule}
          {...(muting === "agent" && { agentName: alert.agentName })}
          onClose={() => setMuting(undefined)}
        />
      )}
    </>
  );
}

function Acknowledgement({ alert }: { alert: Alert }) {
  const place = usePlace();
  const [note, setNote] = useState(alert.note ?? "");
  const { acknowledgedAt, acknowledgedBy } = alert;
  const acknowledge = useMutation({
    mutationFn: () =>
      place.client.alerts.acknowledge({
        alertId: alert.id,
        projectId: place.projectId,
        ...(note.trim() !== "" && { note: note.trim() }),
      }),
    onSuccess: async (answer) => {
      queries.setQueryData(alertQuery(place, alert.id).queryKey, answer.alert);
      await refresh(place, "alerts.list");
    },
  });
  return (
    <div className={styles["fields"]}>
      {acknowledgedAt === null ? (
        <p>Nobody has acknowledged it yet.</p>
      ) : (
        <p>
          <b>
            <bdi>{acknowledgedBy ?? "Somebody who has left"}</bdi>
          </b>
          , <Time at={acknowledgedAt} />
        </p>
      )}
      {alert.note !== null && <UserText text={alert.note} />}
      {place.canWrite && (
        <form
          className={styles["fields"]}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!acknowledge.isPending) acknowledge.mutate();
          }}
        >
          <TextArea
            label="Note"
            rows={3}
            maxLength={LIMITS.behaviorCharacters}
            help="Why it happened, or what you do about it. Everybody in the project reads it."
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
          {acknowledge.error && <Failure error={acknowledge.error} />}
          <div>
            <Button type="submit" look={acknowledgedAt === null ? "primary" : "plain"} busy={acknowledge.isPending}>
              {acknowledgedAt === null ? "Acknowledge" : "Acknowledge again"}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}

/** The windows around the alert, compared with the limit that was valid when the alert was raised. */
function Around({ alert, rule }: { alert: Alert; rule: AlertRule }) {
  const content = {
    ...contentOfRule(rule),
    condition: alert.usual === null ? alert.condition : rule.condition,
    agents: alert.agentName === null ? [] : [alert.agentName],
  };
  const windowMs = Date.parse(alert.raisedAt) - Date.parse(alert.windowStartedAt);
  const isSame =
    watchedWords(rule.watch).what === alert.what &&
    windowMs === rule.windowMinutes * 60_000 &&
    (alert.usual !== null) === "usual" in rule.condition;
  const startMs = Date.parse(alert.windowStartedAt);
  const days = Math.ceil((Date.now() - startMs + AROUND * windowMs) / DAY_MS);
  const { data, error, refetch } = useQuery({
    ...previewQuery(usePlace(), content, Math.min(days, PREVIEW_DAYS_MAX)),
    enabled: isSame,
  });
  const found = data?.series.find(({ agentName }) => agentName === alert.agentName);
  // The preview also judges windows before the creation of the rule, so it may raise the alert too early. The plot shows the real
  // alert instead.
  const series = useMemo(() => found && { ...found, alerts: [alert] }, [found, alert]);
  // Leaves out the windows before the first sample, but shows at least `BEFORE_MIN` windows before the alert.
  const firstMs = Date.parse(series?.windows.find(({ samples }) => samples > 0)?.startedAt ?? alert.windowStartedAt);
  const fromMs = Math.max(
    startMs - AROUND * windowMs,
    Math.min(firstMs, startMs - BEFORE_MIN * windowMs),
    Date.parse(data?.from ?? alert.windowStartedAt),
  );
  const toMs = Math.min(startMs + (AROUND + 1) * windowMs, Date.parse(data?.to ?? alert.raisedAt));
  return (
    <Card title="What happened around it" note={`in windows of ${windowWords(windowMs / 60_000)}`}>
      {!isSame && <p>Its rule watches something else now, so the windows of this alert are not shown.</p>}
      {isSame && error && <Failure error={error} again={refetch} />}
      {isSame && !data && !error && <Skeleton rows={6} />}
      {data && (series === undefined || fromMs > startMs) && (
        <p>The alert is older than the windows that a preview reaches.</p>
      )}
      {series !== undefined && fromMs <= startMs && (
        <>
          <SeriesPlot
            content={content}
            series={series}
            fromMs={fromMs}
            toMs={toMs}
            marked={{ fromMs: startMs, toMs: Date.parse(alert.raisedAt) }}
          />
          <p className={styles["muted"]}>
            The framed window raised the alert, and on the red ground it was open. Red points are bad windows.
            {opensWindows(content) && " A click on a window opens its conversations."}
          </p>
        </>
      )}
    </Card>
  );
}
