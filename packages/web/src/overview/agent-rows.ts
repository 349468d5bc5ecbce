import type { Answer, Operations } from "@svc/sdk";
import type { SparkPoint } from "../ui/sparkline.tsx";

type Metrics = Pick<Answer<Operations["metrics"]["get"]>, "from" | "to" | "bucket" | "series">;
type Series = Metrics["series"][number];
type ToolSeries = Answer<Operations["metrics"]["tools"]>["series"][number];

/** One agent in the period. Unknown values are null. */
export type AgentRow = {
  agentName: string | null;
  /** Medians of the buckets; the mean where there are too few samples. */
  points: SparkPoint[];
  /** The distance of two buckets as a share of the period. */
  step: number;
  samples: number;
  median: number | null;
  p95: number | null;
  /** Share of the agent's turns that the caller cut short. */
  cutShort: number | null;
  /** Share of the tool calls that failed, of those for which it is known. */
  toolsFail: number | null;
};

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };

/** Returns a row for each agent: its answers in calls, or in typed conversations when it has no calls. */
export function agentRows({ from, to, bucket, series }: Metrics, tools: readonly ToolSeries[]): AgentRow[] {
  const fromMs = Date.parse(from);
  const spanMs = Math.max(Date.parse(to) - fromMs, 1);
  const names = new Set([...series, ...tools].map(({ agentName }) => agentName));
  const find = (agentName: string | null, measure: string) =>
    series.find((each) => each.agentName === agentName && each.measure === measure);

  return [...names]
    .map((agentName): AgentRow => {
      const answers = find(agentName, "response_latency") ?? find(agentName, "text_response_time");
      return {
        agentName,
        points: (answers?.buckets ?? []).map((each) => pointOf(each, fromMs, spanMs)),
        step: BUCKET_MS[bucket] / spanMs,
        samples: answers?.period.samples ?? 0,
        median: answers?.period.p50 ?? null,
        p95: answers?.period.p95 ?? null,
        cutShort: find(agentName, "user_interruptions")?.period.mean ?? null,
        toolsFail: failedShare(tools.filter((each) => each.agentName === agentName)),
      };
    })
    .toSorted((a, b) => b.samples - a.samples);
}

function pointOf({ startedAt, p50, mean }: Series["buckets"][number], fromMs: number, spanMs: number): SparkPoint {
  return { at: (Date.parse(startedAt) - fromMs) / spanMs, value: p50 ?? mean, isFew: p50 === null };
}

function failedShare(tools: readonly ToolSeries[]): number | null {
  const known = tools.reduce((sum, { calls, unknown }) => sum + calls - unknown, 0);
  return known === 0 ? null : tools.reduce((sum, { errors }) => sum + errors, 0) / known;
}
