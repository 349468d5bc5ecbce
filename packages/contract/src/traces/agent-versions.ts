import { z } from "zod";
import { timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { agentNames } from "./agent-names.ts";
import { agentVersion } from "./agent-version-filter.ts";
import { MEASURE_NAMES, UNITS } from "./measures.ts";
import { STATISTICS, VERSION_VERDICTS } from "./version-verdicts.ts";

/** Version of an agent in production, with the times of its first and its last conversation. */
export const AgentVersion = z
  .strictObject({
    agentName: z.string(),
    version: z.string(),
    firstSeenAt: timestamp().meta({ description: "Start of the earliest stored conversation with this version." }),
    lastSeenAt: timestamp().meta({ description: "Start of the latest conversation with this version." }),
  })
  .meta({ id: "AgentVersion" });
export type AgentVersion = z.infer<typeof AgentVersion>;

const ComparedVersion = z
  .strictObject({
    version: z.string(),
    conversations: count("Number of production conversations with this version that started in the period."),
    compared: count(
      `Number of these conversations that are compared: the newest ones whose spans the service has read, at most ${LIMITS.comparedConversations}.`,
    ),
  })
  .meta({ id: "ComparedVersion" });

const Side = z
  .strictObject({
    value: z.number().nullable().meta({ description: "Null for too few samples." }),
    n: count("Number of samples: turns, calls or conversations."),
    hits: count("For a rate: the number of samples that count as failed. Null for a measure.").nullable(),
    conversations: count("Number of conversations with a sample."),
  })
  .meta({ id: "ComparedSide" });

/** Comparison of one quantity of both versions: a statistic of a measure, or a rate. */
export const ComparedQuantity = z
  .strictObject({
    kind: z.enum(["measure", "errors", "failed_tool_calls", "grader"]).meta({
      description:
        "`measure`: a statistic of a measure. `errors`: the share of conversations with an error. `failed_tool_calls`: the share of failed calls among those of which it is known whether they failed. `grader`: the share of conversations with the grade `failed` of a grader, among those with its grade `passed` or `failed`.",
    }),
    label: z.string().meta({ description: "The quantity as words for people." }),
    measure: z.enum(MEASURE_NAMES).nullable(),
    statistic: z.enum(STATISTICS).nullable(),
    graderId: z.string().nullable(),
    unit: z.enum(UNITS),
    first: Side,
    second: Side,
    difference: z
      .number()
      .nullable()
      .meta({ description: "Value of the second version minus value of the first version." }),
    low: z.number().nullable().meta({
      description:
        "Lower end of the 95 % interval of the difference. It belongs to this quantity alone, without a correction for the number of quantities.",
    }),
    high: z.number().nullable().meta({ description: "Upper end of the 95 % interval of the difference." }),
    p: z.number().min(0).max(1).nullable().meta({
      description:
        "p-value of the statistical test for this quantity alone, without a correction for the number of quantities.",
    }),
    verdict: z.enum(VERSION_VERDICTS).meta({
      description:
        "`worse`, `better`: the second version differs by more than chance explains, after a correction for the number of quantities. `differs`: the same, for a measure of which neither direction is better. `no_difference_shown`: chance explains the difference, or it is too small to matter. `too_few`: too few conversations or samples to say anything.",
    }),
  })
  .meta({ id: "ComparedQuantity" });
export type ComparedQuantity = z.infer<typeof ComparedQuantity>;

/**
 * Comparison of two versions of an agent in production. The two versions had different callers at different times, so a difference
 * does not prove its cause.
 *
 * Samples of one conversation resemble each other, so each test compares whole conversations. Shares of conversations use an exact
 * conditional test. Other quantities use a permutation test with a fixed seed. On average, at most 5 % of the differences that are
 * shown are false (step-up procedure for discrete tests, as in the comparison of runs).
 */
export const VersionComparison = z
  .strictObject({
    agentName: z.string(),
    from: timestamp(),
    to: timestamp(),
    first: ComparedVersion,
    second: ComparedVersion,
    differs: z.boolean().meta({ description: "Whether any quantity differs by more than chance explains." }),
    words: z.array(z.string()).meta({ description: "The result as sentences for people." }),
    quantities: z.array(ComparedQuantity).meta({
      description: "Rates first, then measures. A quantity without a sample in both versions is absent.",
    }),
  })
  .meta({ id: "VersionComparison" });
export type VersionComparison = z.infer<typeof VersionComparison>;

/** Versions of agents in production. */
export const agentVersions = {
  /** Lists the versions of agents in production conversations. The version whose first conversation is the most recent comes first. */
  list: getOperation({
    path: "/v1/agent-versions",
    summary: "List versions of agents in production",
    description: `The version whose first conversation is the most recent comes first. The answer has at most ${LIMITS.agentVersionsShown} versions.`,
    tag: "Traces",
    query: z.strictObject({ projectId, agent: agentNames }),
    answer: z.strictObject({
      agentVersions: z.array(AgentVersion),
      isMore: z.boolean().meta({ description: "Whether older versions are left out." }),
    }),
    errors: [],
  }),

  /** Compares the production conversations of two versions of an agent. */
  compare: getOperation({
    path: "/v1/agent-versions/comparison",
    summary: "Compare two versions of an agent in production",
    description: `Compares the newest ${LIMITS.comparedConversations} production conversations of each version that started in the period: statistics of measures, the rates of errors and failed tool calls, and the failures of each grader. The two versions had different callers at different times, so a difference does not prove its cause.`,
    tag: "Traces",
    query: z.strictObject({
      projectId,
      agent: z.string().min(1).max(256).meta({ description: "Exact name of the agent." }),
      version: agentVersion.meta({ description: "The first version of the comparison, usually the earlier one." }),
      with: agentVersion.meta({ description: "The second version of the comparison, usually the later one." }),
      from: timestampInput.optional().meta({
        description: "Start of the period, inclusive. Default: 7 days before `to`.",
      }),
      to: timestampInput.optional().meta({ description: "End of the period, exclusive. Default: now." }),
    }),
    answer: z.strictObject({ comparison: VersionComparison }),
    errors: ["unprocessable"],
  }),
};
