import { z } from "zod";
import { timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isMeasureName, MEASURE_NAMES, UNITS } from "./measures.ts";
import { positive } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";

const measureNames = z
  .string()
  .max(1_000)
  .refine(
    (text) => text.split(",").every((name) => isMeasureName(name.trim())),
    `Use names of measures, separated by commas: ${MEASURE_NAMES.join(", ")}.`,
  )
  .optional()
  .meta({
    description: `Names of measures, separated by commas. Default: all. The names are ${MEASURE_NAMES.join(", ")}.`,
  });

/** The pooled samples of one measure in one time bucket, from all turns, calls or conversations that started in it. */
export const MetricBucket = z
  .strictObject({
    startedAt: timestamp(),
    samples: positive(),
    p50: z
      .number()
      .nullable()
      .meta({ description: "Median of the pooled samples by nearest rank; null below 5 samples." }),
    p95: z
      .number()
      .nullable()
      .meta({ description: "95th percentile of the pooled samples by nearest rank; null below 20 samples." }),
    mean: z.number(),
  })
  .meta({ id: "MetricBucket", description: "The pooled samples of one measure in one time bucket." });
export type MetricBucket = z.infer<typeof MetricBucket>;

/** One measure of one agent over time, for either production or simulations. */
export const MetricSeries = z
  .strictObject({
    agentName: z.string().nullable().meta({ description: "Null for conversations without an agent name." }),
    source: z.enum(["production", "simulation"]),
    measure: z.enum(MEASURE_NAMES),
    unit: z.enum(UNITS),
    buckets: z.array(MetricBucket).meta({ description: "Buckets in time order. Buckets without samples are absent." }),
  })
  .meta({ id: "MetricSeries", description: "One measure of one agent over time." });
export type MetricSeries = z.infer<typeof MetricSeries>;

const BUCKETS = ["hour", "day"] as const;

/** Measures over time, from `from` (inclusive) to `to` (exclusive). */
export const Metrics = z
  .strictObject({
    from: timestamp(),
    to: timestamp(),
    bucket: z.enum(BUCKETS),
    series: z.array(MetricSeries),
  })
  .meta({ id: "Metrics", description: "Measures over time." });
export type Metrics = z.infer<typeof Metrics>;

/** Metrics: measures pooled over conversations. */
export const metrics = {
  /** Returns measures per agent and time bucket. Percentiles are computed from the pooled raw samples, never averaged. */
  get: getOperation({
    path: "/v1/metrics",
    summary: "Show measures over time",
    description: `Percentiles are computed from the pooled raw samples of a bucket, never averaged. A sample belongs to the bucket in which its turn or call started. One request covers at most ${LIMITS.metricBuckets} buckets.`,
    tag: "Traces",
    query: z.strictObject({
      projectId,
      from: timestampInput.optional().meta({
        description:
          "Start of the period, inclusive, rounded down to the start of its bucket. Default: 7 days before `to`.",
      }),
      to: timestampInput.optional().meta({ description: "End of the period, exclusive. Default: now." }),
      bucket: z.enum(BUCKETS).optional().meta({ description: "Length of a bucket, in UTC. Default: `hour`." }),
      measure: measureNames,
      agent: z.string().min(1).max(256).optional().meta({ description: "Exact agent name." }),
      source: z.enum(["production", "simulation"]).optional(),
    }),
    answer: Metrics,
    errors: ["unprocessable"],
  }),
};
