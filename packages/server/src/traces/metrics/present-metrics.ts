import type * as Wire from "@svc/contract";
import { MEASURES } from "@svc/contract/constants";
import { HOUR_MS, type MetricsPeriod } from "./metric-rules.ts";
import type { ConversationCount, MetricPoint, ToolCount } from "../store/trace-store.ts";

const MEASURE_ORDER = Object.keys(MEASURES);

export function presentMetrics(period: MetricsPeriod, points: readonly MetricPoint[]): Wire.Metrics {
  const series = seriesOf(points, ({ measure }) => measure).map(
    ([{ source, agent, version, channel, measure, startMs: _start, ...whole }, buckets]) => ({
      agentName: agent,
      ...splitBy({ version, channel }),
      source,
      measure,
      unit: MEASURES[measure].unit,
      period: whole,
      buckets: buckets.map(({ startMs, samples, p50, p90, p95, mean }) => ({
        startedAt: isoTime(startMs!),
        samples,
        p50,
        p90,
        p95,
        mean,
      })),
    }),
  );
  return {
    ...presentPeriod(period),
    series: series.sort(
      (a, b) => compareAgents(a, b) || MEASURE_ORDER.indexOf(a.measure) - MEASURE_ORDER.indexOf(b.measure),
    ),
  };
}

export function presentConversationCounts(
  period: MetricsPeriod,
  counts: readonly ConversationCount[],
): Wire.ConversationCounts {
  const series = seriesOf(counts, () => "").map(
    ([{ source, agent, version, channel, conversations, errors }, buckets]) => ({
      agentName: agent,
      ...splitBy({ version, channel }),
      source,
      conversations,
      errors,
      buckets: buckets.map((bucket) => ({
        startedAt: isoTime(bucket.startMs!),
        conversations: bucket.conversations,
        errors: bucket.errors,
      })),
    }),
  );
  return {
    ...presentPeriod(period),
    conversations: series.reduce((sum, { conversations }) => sum + conversations, 0),
    errors: series.reduce((sum, { errors }) => sum + errors, 0),
    series: series.sort(compareAgents),
  };
}

/** An agent's most used tool comes first. */
export function presentToolUse(period: MetricsPeriod, counts: readonly ToolCount[]): Wire.ToolUse {
  const series = seriesOf(counts, ({ tool }) => tool).map(
    ([{ source, agent, version, channel, tool, calls, errors, unknown }, buckets]) => ({
      agentName: agent,
      ...splitBy({ version, channel }),
      source,
      tool,
      calls,
      errors,
      unknown,
      buckets: buckets.map((bucket) => ({
        startedAt: isoTime(bucket.startMs!),
        calls: bucket.calls,
        errors: bucket.errors,
        unknown: bucket.unknown,
      })),
    }),
  );
  return {
    ...presentPeriod(period),
    series: series.sort((a, b) => compareAgents(a, b) || b.calls - a.calls || compareTexts(a.tool ?? "", b.tool ?? "")),
  };
}

type Pooled = Pick<ConversationCount, "source" | "agent" | "version" | "channel" | "startMs">;

/** Series have a version or a channel only if the request splits by it. */
const splitBy = ({ version, channel }: Pick<Pooled, "version" | "channel">) => ({
  ...(version !== undefined && { agentVersion: version }),
  ...(channel !== undefined && { channel }),
});

/** Each group has the point of the whole period, and then the points of its buckets. */
function seriesOf<Point extends Pooled>(
  points: readonly Point[],
  nameOf: (point: Point) => string | null,
): [Point, Point[]][] {
  const series = new Map<string, [Point, Point[]]>();
  for (const point of points) {
    const key = JSON.stringify([
      point.agent,
      point.source,
      point.version ?? null,
      point.channel ?? null,
      nameOf(point),
    ]);
    const entry = series.get(key);
    if (entry === undefined) series.set(key, [point, []]);
    else entry[1].push(point);
  }
  return [...series.values()];
}

type OfAgent = { agentName: string | null; agentVersion?: string | null; channel?: string | null; source: string };

/** Series without an agent, a version or a channel come last. */
const compareAgents = (a: OfAgent, b: OfAgent): number =>
  compareNames(a.agentName, b.agentName) ||
  compareTexts(a.source, b.source) ||
  compareNames(a.agentVersion ?? null, b.agentVersion ?? null) ||
  compareNames(a.channel ?? null, b.channel ?? null);

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return compareTexts(a, b);
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const presentPeriod = ({ fromMs, toMs, bucketMs, zone = "UTC" }: MetricsPeriod) => ({
  from: isoTime(fromMs),
  to: isoTime(toMs),
  bucket: bucketMs === HOUR_MS ? ("hour" as const) : ("day" as const),
  zone,
});

const isoTime = (ms: number): string => new Date(ms).toISOString();
