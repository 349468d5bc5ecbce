import type { AlertRuleContent, AlertSeries } from "@svc/contract";
import { type WatchedStatistic, watchedValueText, watchedWords } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { UserText } from "../ui/user-text.tsx";
import { agentWords, opensWindows } from "./alert-words.ts";
import styles from "./alerts.module.css";
import { previewQuery } from "./queries.ts";
import { SeriesPlot, summaryOf } from "./series-plot.tsx";

const PAUSE_MS = 300;
const AGENTS_SHOWN = 3;
const ALERTS_SHOWN = 20;
const SAMPLES_NEEDED: Record<WatchedStatistic, string> = {
  p50: "; a median needs 5",
  p90: "; a p90 needs 10",
  p95: "; a p95 needs 20",
  mean: "",
};

/** Returns the number of days that a preview covers: about as many as the windows that a screen can show. */
const daysOf = (windowMinutes: number): number =>
  windowMinutes < 15 ? 2 : windowMinutes < 30 ? 7 : windowMinutes < 60 ? 14 : windowMinutes < 1_440 ? 30 : 60;

export function Preview({ content }: { content: AlertRuleContent | undefined }) {
  const settled = useDebounced(content === undefined ? undefined : JSON.stringify(content), PAUSE_MS);
  if (settled === undefined) return <p className={styles["muted"]}>The preview waits for numbers that it can read.</p>;
  return <SettledPreview content={JSON.parse(settled) as AlertRuleContent} />;
}

function SettledPreview({ content }: { content: AlertRuleContent }) {
  const days = daysOf(content.windowMinutes);
  const { data, error, isPlaceholderData, refetch } = useQuery(previewQuery(usePlace(), content, days));
  const [isWhole, setWhole] = useState(false);
  if (error) return <Failure error={error} again={refetch} />;
  if (!data) return <Skeleton rows={8} />;
  const series = data.series.toSorted((one, other) => other.alerts.length - one.alerts.length);
  const alerts = series.reduce((sum, each) => sum + each.alerts.length, 0);
  const concerned = series.filter((each) => each.alerts.length > 0).length;
  const shown = isWhole ? series : series.slice(0, AGENTS_SHOWN);
  if (series.length === 0)
    return (
      <Empty title={`Nothing to watch in the last ${formatPlural(days, "day")}`}>
        <p>
          No {content.source === "production" ? "production conversation" : "simulation"} has what the rule watches. The
          rule begins when there is one.
        </p>
      </Empty>
    );
  return (
    <div className={styles["preview"]} aria-busy={isPlaceholderData}>
      <p role="status" className={styles["verdict"]}>
        In the last {formatPlural(days, "day")} it would have raised{" "}
        <b>{alerts === 0 ? "no alert" : formatPlural(alerts, "alert")}</b>
        {alerts > 0 && series.length > 1 && `, for ${concerned} of ${formatPlural(series.length, "agent")}`}.
      </p>
      {series.every(isUnjudged) && (
        <Notice kind="warning">
          No window had enough samples to be judged. Take a longer window{content.minSamples > 1 && " or fewer samples"}
          {content.watch.kind === "measure" && SAMPLES_NEEDED[content.watch.statistic]}.
        </Notice>
      )}
      {shown.map((each) => (
        <figure key={each.agentName ?? ""} className={styles["figure"]}>
          <figcaption>
            <b>
              <UserText inline text={agentWords(each.agentName)} />
            </b>
            <span className={styles["muted"]}>{summaryOf(each)}</span>
          </figcaption>
          <SeriesPlot content={content} series={each} fromMs={Date.parse(data.from)} toMs={Date.parse(data.to)} />
        </figure>
      ))}
      {series.length > AGENTS_SHOWN && (
        <div>
          <Button small onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show fewer agents" : `Show ${formatPlural(series.length - AGENTS_SHOWN, "more agent")}`}
          </Button>
        </div>
      )}
      <p className={styles["muted"]}>
        Each point is a window. Red points are bad windows, a red ground is an alert, and a hollow point has too few
        samples.{opensWindows(content) && " A click on a window opens its conversations."}
      </p>
      {alerts > 0 && <PreviewedAlerts content={content} series={series} />}
    </div>
  );
}

/** Returns whether a series has samples, but no window with enough of them. */
const isUnjudged = ({ windows }: AlertSeries): boolean =>
  windows.some(({ judged }) => judged === "too_few") &&
  windows.every(({ judged }) => judged === "too_few" || judged === "no_data");

function PreviewedAlerts({ content, series }: { content: AlertRuleContent; series: readonly AlertSeries[] }) {
  const { unit } = watchedWords(content.watch);
  const alerts = series
    .flatMap(({ agentName, alerts: own }) => own.map((alert) => ({ ...alert, agentName })))
    .toSorted((one, other) => (one.raisedAt < other.raisedAt ? 1 : -1));
  return (
    <details className={styles["details"]}>
      <summary>
        The alerts as a list{alerts.length > ALERTS_SHOWN && `, the newest ${ALERTS_SHOWN} of ${alerts.length}`}
      </summary>
      <Table
        label="Alerts of the preview"
        dense
        columns={[
          { head: "Raised" },
          { head: "Cleared" },
          { head: "Agent" },
          { head: "Value", numeric: true },
          { head: "n", numeric: true, wideOnly: true },
        ]}
      >
        {alerts.slice(0, ALERTS_SHOWN).map(({ raisedAt, clearedAt, value, samples, agentName }) => (
          <tr key={`${agentName} ${raisedAt}`}>
            <td>
              <Time at={raisedAt} absolute />
            </td>
            <td>{clearedAt === null ? "Still open" : <Time at={clearedAt} absolute />}</td>
            <td className={tables["clip"]}>
              <UserText inline text={agentWords(agentName)} />
            </td>
            <td className={tables["num"]}>{value === null ? "no data" : watchedValueText(value, unit)}</td>
            <td className={`${tables["num"]} ${tables["wideOnly"]}`}>{formatCount(samples)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
