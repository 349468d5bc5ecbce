import type { AlertRuleContent, AlertSeries } from "@svc/contract";
import { conditionText, watchedValueText, watchedWords } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { agentVersionsQuery, marksOf } from "../agent-versions.ts";
import { usePlace } from "../shell/place.ts";
import { formatDateTime, formatDay, formatPlural } from "../ui/format.ts";
import { Plot } from "../ui/plot.tsx";
import type { PlotBand, PlotSeries } from "../ui/plot-drawing.ts";
import { agentWords, opensWindows, searchOfWindow } from "./alert-words.ts";

type SeriesPlotProps = {
  content: AlertRuleContent;
  series: AlertSeries;
  fromMs: number;
  toMs: number;
  marked?: { fromMs: number; toMs: number };
};

const DAY_MS = 86_400_000;
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** The limit is a line, bad windows are marked points, and alerts are bands. */
export function SeriesPlot({ content, series, fromMs, toMs, marked }: SeriesPlotProps) {
  const { params } = usePlace();
  const navigate = useNavigate();
  const windowMs = content.windowMinutes * 60_000;
  const { what, unit } = watchedWords(content.watch);
  const { condition } = content;
  const { agentName } = series;
  const times = useMemo(() => timesOf(fromMs, toMs, windowMs), [fromMs, toMs, windowMs]);
  const isFixed = "value" in condition;
  const lines = useMemo(
    () => (isFixed ? [lineOf(series, times)] : [lineOf(series, times), limitsOf(series, times)]),
    [isFixed, series, times],
  );
  const [markedFromMs, markedToMs] = [marked?.fromMs, marked?.toMs];
  const bands = useMemo(
    () => [
      ...bandsOf(series, windowMs, toMs),
      // The plot draws a point at the start of its window. A band that begins half a window earlier surrounds the point.
      ...(markedFromMs === undefined || markedToMs === undefined
        ? []
        : [{ fromMs: markedFromMs - windowMs / 2, toMs: markedToMs - windowMs / 2, kind: "marked" as const }]),
    ],
    [series, windowMs, toMs, markedFromMs, markedToMs],
  );
  const limit = useMemo(
    () => ("value" in condition ? { value: condition.value, label: conditionText(condition, unit) } : undefined),
    [condition, unit],
  );
  const format = useCallback((shown: number) => watchedValueText(shown, unit), [unit]);
  const { data: versions } = useQuery(agentVersionsQuery(usePlace(), agentName ?? undefined));
  const marks = useMemo(
    () =>
      agentName === null || content.source !== "production" ? [] : marksOf(versions?.agentVersions ?? [], fromMs, toMs),
    [versions, agentName, content.source, fromMs, toMs],
  );
  const isLong = toMs - fromMs > 2 * DAY_MS;
  const formatTick = useCallback((atMs: number) => (isLong ? formatDay(atMs) : clock.format(atMs)), [isLong]);
  const onBucket = useCallback(
    (atMs: number) =>
      void navigate({
        to: "/o/$organizationId/p/$project/conversations",
        params,
        search: searchOfWindow(content, agentName, {
          from: new Date(atMs).toISOString(),
          to: new Date(atMs + windowMs).toISOString(),
        }),
      }),
    [navigate, params, content, agentName, windowMs],
  );
  return (
    <Plot
      label={`${agentWords(agentName)}, ${what}: ${summaryOf(series)}`}
      times={times}
      series={lines}
      format={format}
      formatTime={formatDateTime}
      formatTick={formatTick}
      {...(limit && { limit })}
      bands={bands}
      bucketMs={windowMs}
      syncKey="alerts"
      marks={marks}
      {...(opensWindows(content) && { onBucket })}
    />
  );
}

export function summaryOf({ windows, alerts }: AlertSeries): string {
  const count = (wanted: string) => windows.filter(({ judged }) => judged === wanted).length;
  const others = [
    [count("too_few"), "with too few samples"],
    [count("no_data"), "without any"],
  ] as const;
  return [
    formatPlural(windows.length, "window"),
    `${count("bad")} bad`,
    ...others.flatMap(([number, words]) => (number > 0 ? [`${number} ${words}`] : [])),
    formatPlural(alerts.length, "alert"),
  ].join(", ");
}

const timesOf = (fromMs: number, toMs: number, windowMs: number): number[] =>
  Array.from({ length: Math.max(0, Math.round((toMs - fromMs) / windowMs)) }, (_, at) => fromMs + at * windowMs);

function lineOf({ windows }: AlertSeries, times: readonly number[]): PlotSeries {
  const byStart = new Map(windows.map((window) => [Date.parse(window.startedAt), window]));
  return {
    label: windows.some(({ usual }) => usual !== null) ? "Value" : "",
    points: times.map((time) => {
      const window = byStart.get(time);
      if (window === undefined || window.value === null) return null;
      return { value: window.value, isFew: window.judged === "too_few", isBad: window.judged === "bad" };
    }),
  };
}

function limitsOf({ windows }: AlertSeries, times: readonly number[]): PlotSeries {
  const byStart = new Map(windows.map((window) => [Date.parse(window.startedAt), window.limit]));
  return {
    label: "Limit",
    points: times.map((time) => {
      const value = byStart.get(time) ?? null;
      return value === null ? null : { value, isFew: false };
    }),
  };
}

/** A band begins with the window that raised the alert, and ends before the window that cleared it. */
const bandsOf = ({ alerts }: AlertSeries, windowMs: number, toMs: number): PlotBand[] =>
  alerts.map(({ raisedAt, clearedAt }) => ({
    fromMs: Date.parse(raisedAt) - 1.5 * windowMs,
    toMs:
      clearedAt === null ? toMs : Math.max(Date.parse(clearedAt) - 1.5 * windowMs, Date.parse(raisedAt) - windowMs / 2),
    kind: "bad",
  }));
