import { z } from "zod";
import { readsProject } from "../core/access.ts";
import { timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isMeasureName, MEASURE_NAMES, UNITS } from "./measures.ts";
import { positive } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { projectId } from "../core/selection.ts";

const measureNames = z
  .string()
  .max(1_000)
  .refine(
    (text) => text.split(",").every((name) => isMeasureName(name.trim())),
    `Measures, separated by commas: ${MEASURE_NAMES.join(", ")}.`,
  )
  .optional()
  .meta({ description: `Names of measures, separated by commas; default all. ${MEASURE_NAMES.join(", ")}.` });

/** The samples of one measure in one bucket of time; of all turns, calls or conversations that fall into it, pooled. */
export const MetricBucket = z
  .strictObject({
    startedAt: timestamp(),
    samples: positive(),
    p50: z.number().nullable().meta({ description: "Nearest rank over the pooled samples; null below 5." }),
    p95: z.number().nullable().meta({ description: "Nearest rank over the pooled samples; null below 20." }),
    mean: z.number(),
  })
  .meta({ id: "MetricBucket", description: "The samples of one measure in one bucket of time." });
export type MetricBucket = z.infer<typeof MetricBucket>;

/** One measure of one agent over time; production and simulation are never mixed. */
export const MetricSeries = z
  .strictObject({
    agentName: z.string().nullable().meta({ description: "Null for conversations that name no agent." }),
    source: z.enum(["production", "simulation"]),
    measure: z.enum(MEASURE_NAMES),
    unit: z.enum(UNITS),
    buckets: z.array(MetricBucket).meta({ description: "By time; a bucket without a sample is left out." }),
  })
  .meta({ id: "MetricSeries", description: "One measure of one agent over time." });
export type MetricSeries = z.infer<typeof MetricSeries>;

const BUCKETS = ["hour", "day"] as const;

/** Measures over time, from `from` up to and without `to`. */
export const Metrics = z
  .strictObject({
    from: timestamp(),
    to: timestamp(),
    bucket: z.enum(BUCKETS),
    series: z.array(MetricSeries),
  })
  .meta({ id: "Metrics", description: "Measures over time." });
export type Metrics = z.infer<typeof Metrics>;

/** Measures over time. */
export const metrics = {
  /** Measures per agent and bucket of time. Percentiles pool the raw samples and are never averaged. */
  get: operation({
    method: "GET",
    path: "/v1/metrics",
    summary: "Show measures over time",
    description: `Percentiles pool the raw samples of a bucket and are never averaged. A sample counts where its turn or call began. At most ${LIMITS.metricBuckets} buckets are asked for at once.`,
    tag: "Traces",
    ...readsProject,
    query: z.strictObject({
      projectId,
      from: timestampInput
        .optional()
        .meta({ description: "At or after; taken back to the start of its bucket. Default 7 days before `to`." }),
      to: timestampInput.optional().meta({ description: "Before. Default now." }),
      bucket: z.enum(BUCKETS).optional().meta({ description: "In UTC. Default `hour`." }),
      measure: measureNames,
      agent: z.string().min(1).max(256).optional().meta({ description: "Exact agent name." }),
      source: z.enum(["production", "simulation"]).optional(),
    }),
    status: 200,
    answer: Metrics,
    errors: ["unprocessable"],
  }),
};
