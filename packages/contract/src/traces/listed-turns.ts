import { z } from "zod";
import { timestamp, timestampInput } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId, yesOrNo } from "../core/selection.ts";
import { knownAgentVersion } from "./agent-version-filter.ts";
import { knownChannel } from "./channel-filter.ts";
import { conversationFilters } from "./conversation-filters.ts";
import { SAMPLE_PROVENANCES } from "./provenances.ts";
import { readingLag } from "./reading-lag.ts";
import { numberWhenKnown, traceId } from "./values.ts";

const { source, agent, withoutAgent, agentVersion, channel, agentId, runId, alertId, ending, verdict } =
  conversationFilters;

/** Query parameters that select turns of agents. A turn must match all of them. */
export const turnFilters = {
  from: timestampInput.meta({ description: "Only turns that started at or after this time." }).optional(),
  to: timestampInput.meta({ description: "Only turns that started before this time." }).optional(),
  source,
  agent,
  withoutAgent,
  agentVersion,
  channel,
  agentId,
  runId,
  alertId,
  ending,
  verdict,
  slowerThanMs: conversationFilters.slowerThanMs.meta({
    description:
      "Only turns in which the agent took longer than this many milliseconds to answer. A turn without a known time does not match.",
    override: { type: "number", minimum: 0, maximum: 86_400_000 },
  }),
  interrupted: yesOrNo.optional().meta({
    description:
      "`true`: only turns that the user cut short. `false`: only those that the user did not. A turn of which this is unknown does not match.",
  }),
  tool: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: "Exact name of a tool. Only turns in which the agent called it." }),
};

/** Query parameter with the order of turns. */
export const turnOrder = z.enum(["-startedAt", "startedAt", "-answerMs"]).optional().meta({
  description:
    "Default: `-startedAt`, newest first. `-answerMs`: slowest answer first; turns without a known time come last, and of equal times the newest comes first.",
});

/** Turn of an agent in a list. An unknown value is null, never 0. */
export const ListedTurn = z
  .strictObject({
    traceId: traceId.meta({ description: "Id of the earliest trace of the turn's conversation." }),
    index: count("Position of the turn in its conversation, starting at 0, as in the conversation's `turns`."),
    startedAt: timestamp().meta({
      description: "Time at which the agent started to work on the answer; its audio starts later.",
    }),
    source: z.enum(["production", "simulation"]),
    agentName: z.string().nullable().meta({ description: "Name of the conversation's agent." }),
    agentVersion: knownAgentVersion,
    channel: knownChannel,
    userText: z
      .string()
      .nullable()
      .meta({
        description: `What the user said since the agent's turn before, at most ${LIMITS.turnTextCharacters} characters. Null when the user said nothing, and when the words are unknown or withheld.`,
      }),
    agentText: z
      .string()
      .nullable()
      .meta({
        description: `What the agent said, at most ${LIMITS.turnTextCharacters} characters. Null when the words are unknown or withheld.`,
      }),
    answerMs: numberWhenKnown(
      "Time to answer in milliseconds: the response latency or the text response time that the spans show, otherwise the response latency that is heard in the recording. Null for a greeting, for an answer that starts before the user has ended, and when the time is unknown.",
    ),
    provenance: z
      .enum(SAMPLE_PROVENANCES)
      .nullable()
      .meta({ description: "Where `answerMs` comes from; null without a time." }),
    interrupted: z
      .boolean()
      .nullable()
      .meta({ description: "Whether the user cut the agent short; null when it is unknown." }),
    tools: z
      .array(z.string())
      .max(LIMITS.toolsOfListedTurn)
      .meta({
        description: `Names of the tools that the agent called in this turn, each once, at most ${LIMITS.toolsOfListedTurn}.`,
      }),
    toolFailed: z.boolean().nullable().meta({
      description:
        "Whether a tool call of this turn failed; null when no call is known to have failed and one of them may have.",
    }),
  })
  .meta({ id: "ListedTurn", description: "A turn of an agent in a list. An unknown value is null, never 0." });
export type ListedTurn = z.infer<typeof ListedTurn>;

/** Turns of agents, over all conversations of a project. */
export const turns = {
  /**
   * Lists the turns of agents, newest first; `sort` changes the order. A filter that names conversations selects the turns of these
   * conversations.
   */
  list: getOperation({
    path: "/v1/turns",
    summary: "List turns of agents",
    description: `Lists what agents said, over all conversations, newest first. With \`sort=-answerMs\`, the slowest answers come first. A filter that names conversations selects the turns of these conversations. The turns of a conversation appear when the service has derived them from its spans, of each conversation the first ${LIMITS.turnsListed}.`,
    tag: "Traces",
    answerHeaders: readingLag,
    query: z.strictObject({ projectId, ...turnFilters, sort: turnOrder, ...pageQuery }),
    answer: z.strictObject({ turns: z.array(ListedTurn), nextPageToken }),
  }),
};
