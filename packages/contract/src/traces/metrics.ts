import { z } from "zod";
import { timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { agentNames } from "./agent-names.ts";
import { agentVersionFilter } from "./agent-version-filter.ts";
import { channelFilter, knownChannel } from "./channel-filter.ts";
import { isMeasureName, MEASURE_NAMES, UNITS } from "./measures.ts";
import { SAMPLE_PROVENANCES } from "./provenances.ts";
import { count, positive } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId, yesOrNo } from "../core/selection.ts";
import { timeZone } from "../core/time-zone.ts";

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

const pooled = {
  samples: positive(),
  p50: z
    .number()
    .nullable()
    .meta({ description: "Median of the pooled samples by nearest rank; null below 5 samples." }),
  p90: z
    .number()
    .nullable()
    .meta({ description: "90th percentile of the pooled samples by nearest rank; null below 10 samples." }),
  p95: z
    .number()
    .nullable()
    .meta({ description: "95th percentile of the pooled samples by nearest rank; null below 20 samples." }),
  mean: z.number(),
};

/** Pooled samples of one measure in one time bucket: from all turns, calls or conversations that started in the bucket. */
export const MetricBucket = z
  .strictObject({ startedAt: timestamp(), ...pooled })
  .meta({ id: "MetricBucket", description: "The pooled samples of one measure in one time bucket." });
export type MetricBucket = z.infer<typeof MetricBucket>;

/** Pooled samples of one measure in the whole period of the request. */
export const MetricPeriod = z
  .strictObject({
    ...pooled,
    provenances: z
      .array(z.enum(SAMPLE_PROVENANCES))
      .meta({ description: "The different provenances of the samples, strongest first." }),
  })
  .meta({ id: "MetricPeriod", description: "The pooled samples of one measure in the whole period." });
export type MetricPeriod = z.infer<typeof MetricPeriod>;

const agentName = z.string().nullable().meta({ description: "Null for conversations without an agent name." });
const ofVersion = z.string().nullable().optional().meta({
  description: "Only with `byVersion`: the version of the agent; null for conversations whose version is unknown.",
});
const ofChannel = knownChannel.optional().meta({
  description: "Only with `byChannel`: the channel; null for conversations whose channel is unknown.",
});
const source = z.enum(["production", "simulation"]);

/** Time series of one measure of one agent, either in production or in simulations. */
export const MetricSeries = z
  .strictObject({
    agentName,
    agentVersion: ofVersion,
    channel: ofChannel,
    source,
    measure: z.enum(MEASURE_NAMES),
    unit: z.enum(UNITS),
    period: MetricPeriod.meta({
      description: "All samples of the period. Its percentiles are computed from the samples, not from the buckets.",
    }),
    buckets: z.array(MetricBucket).meta({ description: "Buckets in time order. Buckets without samples are absent." }),
  })
  .meta({ id: "MetricSeries", description: "One measure of one agent over time." });
export type MetricSeries = z.infer<typeof MetricSeries>;

const BUCKETS = ["hour", "day"] as const;

const period = {
  from: timestamp(),
  to: timestamp(),
  bucket: z.enum(BUCKETS),
  zone: z.string().meta({ description: "The time zone in which days start." }),
};

const zone = timeZone("Time zone in which days start. Default: `UTC`. Hours start with the hours of UTC.").optional();

/** Time series of measures, from `from` (inclusive) to `to` (exclusive). */
export const Metrics = z
  .strictObject({ ...period, series: z.array(MetricSeries) })
  .meta({ id: "Metrics", description: "Measures over time." });
export type Metrics = z.infer<typeof Metrics>;

const conversationCounts = {
  conversations: count("Number of conversations that started in this time."),
  errors: count("Number of these conversations with the status `error`."),
};

/** Time series of the number of one agent's conversations, either in production or in simulations. */
export const ConversationCountSeries = z
  .strictObject({
    agentName,
    agentVersion: ofVersion,
    channel: ofChannel,
    source,
    ...conversationCounts,
    buckets: z
      .array(z.strictObject({ startedAt: timestamp(), ...conversationCounts }))
      .meta({ description: "Buckets in time order. Buckets without conversations are absent." }),
  })
  .meta({ id: "ConversationCountSeries", description: "The number of one agent's conversations over time." });
export type ConversationCountSeries = z.infer<typeof ConversationCountSeries>;

/** Time series of the numbers of conversations, from `from` (inclusive) to `to` (exclusive). */
export const ConversationCounts = z
  .strictObject({ ...period, ...conversationCounts, series: z.array(ConversationCountSeries) })
  .meta({ id: "ConversationCounts", description: "The numbers of conversations over time, in all and per agent." });
export type ConversationCounts = z.infer<typeof ConversationCounts>;

const toolCallCounts = {
  calls: count("Number of calls of the tool that started in this time."),
  errors: count("Number of these calls that failed."),
  unknown: count("Number of these calls for which it is unknown whether they failed."),
};

/** Time series of the calls of one tool by one agent, either in production or in simulations. */
export const ToolUseSeries = z
  .strictObject({
    agentName,
    agentVersion: ofVersion,
    channel: ofChannel,
    source,
    tool: z.string().nullable().meta({ description: "Name of the tool; null for calls without a name." }),
    ...toolCallCounts,
    buckets: z
      .array(z.strictObject({ startedAt: timestamp(), ...toolCallCounts }))
      .meta({ description: "Buckets in time order. Buckets without calls are absent." }),
  })
  .meta({ id: "ToolUseSeries", description: "The calls of one tool by one agent over time." });
export type ToolUseSeries = z.infer<typeof ToolUseSeries>;

/** Time series of tool calls, from `from` (inclusive) to `to` (exclusive). */
export const ToolUse = z
  .strictObject({ ...period, series: z.array(ToolUseSeries) })
  .meta({ id: "ToolUse", description: "The use of tools over time." });
export type ToolUse = z.infer<typeof ToolUse>;

const periodQuery = {
  projectId,
  from: timestampInput.optional().meta({
    description:
      "Start of the period, inclusive, rounded down to the start of its bucket. Default: 7 days before `to`.",
  }),
  to: timestampInput.optional().meta({ description: "End of the period, exclusive. Default: now." }),
  bucket: z.enum(BUCKETS).optional().meta({ description: "Length of a bucket. Default: `hour`." }),
  zone,
  agent: agentNames,
  agentVersion: agentVersionFilter,
  channel: channelFilter,
  byVersion: yesOrNo.optional().meta({
    description: "`true`: a series for each version of an agent. Otherwise a series has all versions.",
  }),
  byChannel: yesOrNo.optional().meta({
    description: "`true`: a series for each channel. Otherwise a series has all channels.",
  }),
  source: source.optional(),
};

/** Metrics: measures, conversations and tool calls of each agent over time. */
export const metrics = {
  /** Returns measures per agent and time bucket. Percentiles are computed from all samples of a bucket, never averaged. */
  get: getOperation({
    path: "/v1/metrics",
    summary: "Show measures over time",
    description: `Percentiles are computed from the pooled raw samples of a bucket or of the whole period, never averaged. A sample belongs to the bucket in which its turn or call started. One request covers at most ${LIMITS.metricBuckets} buckets.`,
    tag: "Traces",
    query: z.strictObject({ ...periodQuery, measure: measureNames }),
    answer: Metrics,
    errors: ["unprocessable"],
  }),

  /** Returns the number of conversations that started in the period, and of those with errors: in total, per agent, per time bucket. */
  conversations: getOperation({
    path: "/v1/metrics/conversations",
    summary: "Count conversations over time",
    description: `A conversation belongs to the bucket in which it started. One request covers at most ${LIMITS.metricBuckets} buckets.`,
    tag: "Traces",
    query: z.strictObject(periodQuery),
    answer: ConversationCounts,
    errors: ["unprocessable"],
  }),

  /** Returns the number of calls of each tool that started in the period, and of failed calls, per agent and per time bucket. */
  tools: getOperation({
    path: "/v1/metrics/tools",
    summary: "Count tool calls over time",
    description: `A call belongs to the bucket in which it started. One request covers at most ${LIMITS.metricBuckets} buckets.`,
    tag: "Traces",
    query: z.strictObject(periodQuery),
    answer: ToolUse,
    errors: ["unprocessable"],
  }),
};
