import type { Answer, Operations } from "@svc/sdk";
import { MEASURES } from "@svc/contract/constants";
import { bucketStarts } from "../periods.ts";
import type { PlotSeries } from "../ui/plot-drawing.ts";

type Metrics = Answer<Operations["metrics"]["get"]>;
type MeasureName = Metrics["series"][number]["measure"];

/** The plot of one measure: a line for each agent. */
export type MeasurePlot = {
  measure: MeasureName;
  label: string;
  meaning: string;
  unit: string;
  /** Agents of the lines; null has no name. */
  agents: (string | null)[];
  series: PlotSeries[];
  totals: {
    agentName: string | null;
    samples: number;
    p50: number | null;
    p95: number | null;
    mean: number;
    provenances: string[];
  }[];
};

/** The agents whose lines one plot can show. */
export const AGENTS_SHOWN_MAX = 8;

/** The name of an agent on the page. */
export const nameOfAgent = (agentName: string | null): string => agentName ?? "without a name";

/** Returns the agents of an answer, those with the most samples first. */
export function agentsOf({ series }: Pick<Metrics, "series">): (string | null)[] {
  const samples = new Map<string | null, number>();
  for (const { agentName, period } of series) samples.set(agentName, (samples.get(agentName) ?? 0) + period.samples);
  return [...samples].toSorted(([, a], [, b]) => b - a).map(([agentName]) => agentName);
}

/** Returns the starts of the buckets in milliseconds. */
export const timesOf = ({ from, to, bucket }: Pick<Metrics, "from" | "to" | "bucket">): number[] =>
  bucketStarts(from, to, bucket);

/** Returns a plot for each measure that has samples, in the order of the contract. Counts and shares show means. */
export function measurePlots(metrics: Metrics, agents: readonly (string | null)[]): MeasurePlot[] {
  const times = timesOf(metrics);
  return (Object.keys(MEASURES) as MeasureName[]).flatMap((measure): MeasurePlot[] => {
    const { label, meaning, unit } = MEASURES[measure];
    const found = agents.flatMap((agentName) =>
      metrics.series.filter((each) => each.measure === measure && each.agentName === agentName),
    );
    if (found.length === 0) return [];
    const isMean = unit === "count" || unit === "ratio";
    const series = found.map(({ agentName, buckets }): PlotSeries => {
      const byStart = new Map(buckets.map((bucket) => [Date.parse(bucket.startedAt), bucket]));
      return {
        label: nameOfAgent(agentName),
        points: times.map((time) => {
          const bucket = byStart.get(time);
          if (bucket === undefined) return null;
          if (isMean) return { value: bucket.mean, isFew: false };
          return { value: bucket.p50 ?? bucket.mean, isFew: bucket.p50 === null };
        }),
      };
    });
    const totals = found.map(({ agentName, period }) => ({ agentName, ...period }));
    return [{ measure, label, meaning, unit, agents: found.map(({ agentName }) => agentName), series, totals }];
  });
}
