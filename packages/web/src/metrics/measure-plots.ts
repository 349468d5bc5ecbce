import type { Channel } from "@svc/contract";
import type { Answer, Operations } from "@svc/sdk";
import { MEASURES } from "@svc/contract/constants";
import { bucketStarts } from "../periods.ts";
import type { PlotSeries } from "../ui/plot-drawing.ts";

type Metrics = Answer<Operations["metrics"]["get"]>;
type MeasureName = Metrics["series"][number]["measure"];

/** Line of a plot: an agent or, with `agentVersion` or `channel`, one version or one channel of an agent. */
export type PlotLine = {
  agentName: string | null;
  agentVersion?: string | null | undefined;
  channel?: Channel | null | undefined;
};

export type MeasurePlot = {
  measure: MeasureName;
  label: string;
  meaning: string;
  unit: string;
  /** Agents of the lines, in the order of `series`. Null is an agent without a name. */
  agents: (string | null)[];
  series: PlotSeries[];
  totals: {
    label: string;
    samples: number;
    p50: number | null;
    p95: number | null;
    mean: number;
    provenances: string[];
  }[];
};

export const LINES_SHOWN_MAX = 8;

export const nameOfAgent = (agentName: string | null): string => agentName ?? "without a name";

/** `agents` is the number of agents in the plot. */
export function nameOfLine({ agentName, agentVersion, channel }: PlotLine, agents: number): string {
  const parts = [
    ...(agentVersion === undefined ? [] : [agentVersion ?? "unknown version"]),
    ...(channel === undefined ? [] : [channel ?? "unknown channel"]),
  ];
  return (agents === 1 && parts.length > 0 ? parts : [nameOfAgent(agentName), ...parts]).join(" ");
}

const keyOf = ({ agentName, agentVersion, channel }: PlotLine): string =>
  JSON.stringify([agentName, agentVersion, channel]);

/** The line with the most samples comes first. */
export function linesOf({ series }: Pick<Metrics, "series">): PlotLine[] {
  const lines = new Map<string, { line: PlotLine; samples: number }>();
  for (const { agentName, agentVersion, channel, period } of series) {
    const line = { agentName, agentVersion, channel };
    const samples = (lines.get(keyOf(line))?.samples ?? 0) + period.samples;
    lines.set(keyOf(line), { line, samples });
  }
  return [...lines.values()].toSorted((a, b) => b.samples - a.samples).map(({ line }) => line);
}

/** The agent with the most samples comes first. */
export const agentsOf = (metrics: Pick<Metrics, "series">): (string | null)[] => [
  ...new Set(linesOf(metrics).map(({ agentName }) => agentName)),
];

/** In milliseconds. */
export const timesOf = ({ from, to, bucket }: Pick<Metrics, "from" | "to" | "bucket">): number[] =>
  bucketStarts(from, to, bucket);

/**
 * Returns a plot for each measure that has samples, in the order of the contract. Counts and shares are plotted as means, other measures as
 * medians.
 */
export function measurePlots(metrics: Metrics, lines: readonly PlotLine[]): MeasurePlot[] {
  const agents = new Set(lines.map(({ agentName }) => agentName)).size;
  const times = timesOf(metrics);
  return (Object.keys(MEASURES) as MeasureName[]).flatMap((measure): MeasurePlot[] => {
    const { label, meaning, unit } = MEASURES[measure];
    const found = lines.flatMap((line) =>
      metrics.series.filter((each) => each.measure === measure && keyOf(each) === keyOf(line)),
    );
    if (found.length === 0) return [];
    const isMean = unit === "count" || unit === "ratio";
    const series = found.map(({ buckets, ...line }): PlotSeries => {
      const byStart = new Map(buckets.map((bucket) => [Date.parse(bucket.startedAt), bucket]));
      return {
        label: nameOfLine(line, agents),
        points: times.map((time) => {
          const bucket = byStart.get(time);
          if (bucket === undefined) return null;
          if (isMean) return { value: bucket.mean, isFew: false };
          return { value: bucket.p50 ?? bucket.mean, isFew: bucket.p50 === null };
        }),
      };
    });
    const totals = found.map(({ period, ...line }) => ({ label: nameOfLine(line, agents), ...period }));
    return [{ measure, label, meaning, unit, agents: found.map(({ agentName }) => agentName), series, totals }];
  });
}
