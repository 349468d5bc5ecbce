import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { editOperation, getOperation, listOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { ENDING_REASON_NAMES } from "../runs/vocabulary.ts";
import { agentVersion } from "../traces/agent-version-filter.ts";
import { MEASURE_NAMES } from "../traces/measures.ts";
import { GROUP_STATES, type GroupState, TOOL_ERRORS, type ToolError } from "./group-words.ts";

const STATES = Object.keys(GROUP_STATES) as [GroupState, ...GroupState[]];
const ERRORS = Object.keys(TOOL_ERRORS) as [ToolError, ...ToolError[]];

/** Cause that the failures of a group share: what failed in the conversations. */
export const FailedThing = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("behavior"), behavior: z.string() }),
    z.strictObject({ kind: z.literal("grader"), graderId: z.string(), name: z.string() }),
    z.strictObject({ kind: z.literal("tool"), tool: z.string().nullable(), error: z.enum(ERRORS) }),
    z.strictObject({ kind: z.literal("measure"), measure: z.enum(MEASURE_NAMES) }),
    z.strictObject({ kind: z.literal("ending"), ending: z.enum(ENDING_REASON_NAMES) }),
    z.strictObject({ kind: z.literal("veto") }),
  ])
  .meta({
    id: "FailedThing",
    description:
      "What failed. `behavior`: an expected behavior, or the sentence of a grader of the kind `check`. `grader`: another grader. `tool`: a tool whose call failed, with the kind of its error. `measure`: a measure over its limit. `ending`: how the conversation ended. `veto`: a person decided against the simulation.",
  });
export type FailedThing = z.infer<typeof FailedThing>;

const members = {
  id: id("grp"),
  projectId: id("prj"),
  what: FailedThing,
  whatText: z.string().meta({ description: "What failed, in words.", example: "Tool find_booking timed out" }),
  size: count("Number of failures."),
  agentNames: z
    .array(z.string().nullable())
    .max(LIMITS.agentsOfFilter)
    .meta({ description: `Names of the agents, at most ${LIMITS.agentsOfFilter}. Null for an unknown agent.` }),
  agentVersions: z
    .array(z.string())
    .max(LIMITS.agentsOfFilter)
    .meta({
      description: `Versions of the agents in production, sorted by their last failure, newest first, at most ${LIMITS.agentsOfFilter}.`,
    }),
  firstSeenAt: timestamp().meta({ description: "Start of the first conversation of the group." }),
  lastSeenAt: timestamp().meta({ description: "Start of the last conversation of the group." }),
  state: z.enum(STATES),
  resolvedAt: timestamp().nullable().meta({
    description: "Time at which a person last resolved the group; null if never.",
  }),
  resolvedExceptVersions: z.array(z.string()).meta({
    description:
      "Versions of the agents in which the failure still occurs. Failures of these versions do not open the group again.",
  }),
  regressedAt: timestamp().nullable().meta({
    description:
      "Start of the first conversation that opened the group again after `resolvedAt`; null without such a conversation.",
  }),
};

/** Failure group in an event. It contains no words of a conversation. */
export const FailureGroupOfEvent = z.strictObject(members);
export type FailureGroupOfEvent = z.infer<typeof FailureGroupOfEvent>;

/** Failure group: conversations in which the same thing failed, and whose failing turns have similar words. */
export const FailureGroup = z
  .strictObject({
    ...members,
    title: z.string().nullable().meta({
      description: "The most typical failing turn, cut short. Null when the failing turns are not known.",
    }),
    words: z.array(z.string()).meta({
      description: "Words that the failing turns have in common, the most frequent first.",
    }),
    joinedByMeaning: count(
      "Number of failures that are in the group only because an embedding model found that their turns mean the same. Their words differ from those of the others.",
    ),
    trend: z
      .array(z.strictObject({ day: z.iso.date(), failures: count() }))
      .meta({ description: "Failures on each of the last 14 days in UTC, the oldest first." }),
    resolvedBy: z.string().nullable().meta({ description: "Name of the person who last resolved the group." }),
  })
  .meta({ id: "FailureGroup" });
export type FailureGroup = z.infer<typeof FailureGroup>;

/** Failure in a failure group: one conversation that failed. */
export const GroupMember = z
  .strictObject({
    source: z.enum(["production", "simulation"]),
    traceId: z.string().nullable().meta({ description: "Id of the conversation's trace." }),
    runId: id("run").nullable().meta({ description: "Null in production." }),
    simulationId: id("sim").nullable().meta({ description: "Null in production." }),
    agentName: z.string().nullable().meta({ description: "Null for an unknown agent." }),
    agentVersion: z
      .string()
      .nullable()
      .meta({ description: "Version of the agent; null when it is unknown, and for simulations." }),
    turn: count().nullable().meta({ description: "Index of the failing turn; null when no turn is known to fail." }),
    quote: z.string().nullable().meta({ description: "The failing turn, cut short; null when its words are unknown." }),
    startedAt: timestamp().meta({ description: "Start of the conversation." }),
  })
  .meta({ id: "GroupMember" });
export type GroupMember = z.infer<typeof GroupMember>;

const one = {
  tag: "Failure groups",
  path: "/v1/groups/{groupId}",
  resource: "group",
  params: z.strictObject({ groupId: idInput("grp") }),
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ group: FailureGroup }),
} as const;

/** Failure groups: conversations that failed in the same way. */
export const groups = {
  /** Lists the project's failure groups. By default, the group with the most recent failure is first; `sort` changes the order. */
  list: listOperation({
    tag: "Failure groups",
    path: "/v1/groups",
    summary: "List failure groups",
    description:
      "Failed simulations and production conversations of the project, grouped by what failed and then by the words of the failing turn. The group with the most recent failure is first, unless `sort` selects another order.",
    filters: {
      state: z.enum(STATES).optional(),
      agent: textUpTo(LIMITS.nameCharacters)
        .optional()
        .meta({ description: "Only groups with failures of this agent." }),
      source: z.enum(["production", "simulation"]).optional(),
      sort: z.enum(["last_seen", "size"]).optional().meta({ description: "Default: `last_seen`." }),
    },
    items: { groups: FailureGroup },
  }),

  /** Returns a failure group. The id of a group that was merged into another group returns that other group. */
  get: getOperation({
    ...one,
    summary: "Show a failure group",
    description: "The id of a group that was merged into another group returns that other group.",
  }),

  /** Lists the failures of a group, newest first. */
  members: listOperation({
    tag: "Failure groups",
    path: "/v1/groups/{groupId}/members",
    summary: "List the failures of a group",
    resource: "group",
    params: one.params,
    items: { members: GroupMember },
  }),

  /** Sets the state of a failure group. A resolved group opens again when a conversation that starts later fails in the same way. */
  edit: editOperation({
    ...one,
    summary: "Resolve, ignore or reopen a failure group",
    description:
      "A failure of a conversation that starts after a group is resolved opens it again, unless the agent's version in that conversation is one of `exceptVersions`. An ignored group stays ignored.",
    body: z.strictObject({
      state: z.enum(STATES),
      exceptVersions: z.array(agentVersion).max(LIMITS.agentsOfFilter).optional().meta({
        description:
          "With the state `resolved`: versions of the agents in which the failure still occurs, because only a later version fixes it. Failures of these versions do not open the group again. Default: none.",
      }),
    }),
    errors: ["unprocessable"],
  }),
};
