import type { MeasureName, Provenance } from "@svc/contract";
import type { Conversation, ToolCall, Turn } from "../traces/conversation/conversation.ts";
import { doubtOfTimes } from "../traces/measures/heard.ts";
import type { Measure } from "../traces/measures/measure.ts";
import { TOOL_CALLS, TURN_CHARACTERS, TURNS } from "./bounds.ts";
import type { SuccessConditions } from "./success-conditions.ts";

/** Who speaks in a turn. The third party is a person to whom the agent transferred the call. */
type Speaker = "caller" | "agent" | "third party";

const SPEAKERS: Record<Turn["role"], Speaker> = { user: "caller", agent: "agent", third_party: "third party" };

/** One turn of a conversation. Times are in milliseconds since the start of the first turn; null means unknown. */
export type EvidenceTurn = {
  speaker: Speaker;
  text: string | null; // without words that are known not to have been played
  heardText: string | null; // the part of an interrupted turn that was played; null for a turn that was not interrupted, or if unknown
  startMs: number;
  endMs: number | null;
  interrupted: boolean | null;
  /** True if the turn was interrupted and its text may contain words that the caller did not hear. */
  unheard?: boolean;
};

export type EvidenceToolCall = {
  name: string | null;
  arguments: unknown; // parsed JSON or text; null if withheld
  result: unknown; // the result, or the error of a failed call
  outcome: "ok" | "error" | null;
  turn: number | null; // the agent's turn that made the call
  startMs: number;
  endMs: number | null; // end of the call, or the time at which the agent had the result
  mocked: boolean | null; // null outside simulations
};

export type EvidenceMeasure = {
  provenance: Provenance;
  reason: string | null;
  missing: number; // number of times that the measure applies to but whose value is unknown
  samples: { value: number; turn: number | null; at?: string }[];
};

/**
 * Why a conversation ended, and who ended it. `service` is this service. `outside` is a cause outside the conversation and this service,
 * such as the network.
 */
type Ending = {
  reason: string;
  by: "agent" | "caller" | "limit" | "service" | "outside" | "canceled";
};

/** Names of the agent's tools that are known. `all`: the agent has no other tools. */
type KnownTools = { names: readonly string[]; all: boolean };

/** Facts about a conversation that its spans do not contain. */
export type EvidenceContext = {
  ending: Ending | null; // null if unknown, as for most production conversations
  complete: boolean; // no span is missing, and no more spans will arrive
  toolsVisible: boolean; // false if the agent may call tools without a span
  endsOnlyByTool?: boolean; // true if only a tool call could show that the agent ended the conversation
  mockedTools: ReadonlySet<string> | null; // null outside simulations
  knownTools?: KnownTools | null; // null if no tool is known
  succeedsWhen?: SuccessConditions;
  modality: "voice" | "text" | null; // modality of the connection; null: the spans decide
  scenario: string | null;
  persona: string | null;
  date: string; // YYYY-MM-DD
};

/** Why nothing is known about calls of an agent whose `toolsVisible` is false. */
export const TOOLS_UNSEEN = "No tool call was seen, and over this connection the agent may call tools unseen.";

/** The parts of a conversation that graders read. Turns and tool calls are numbered from 0, as in the trace. */
export type Evidence = {
  turns: EvidenceTurn[];
  toolCalls: EvidenceToolCall[];
  measures: Record<MeasureName, EvidenceMeasure>;
  /** Why the times of a simulated call prove nothing about the agent; undefined if the times are reliable. */
  unreliableTimes?: string;
  modality: "voice" | "text" | null;
  ending: Ending | null;
  /** Sentence that says why the conversation is incomplete; null if it is complete. */
  partial: string | null;
  toolsVisible: boolean;
  endsOnlyByTool?: boolean;
  /** Whether the turns have every key of the telephone that the agent pressed. */
  keysKnown?: boolean;
  knownTools?: KnownTools | null;
  succeedsWhen?: SuccessConditions;
  scenario: string | null;
  persona: string | null;
  date: string;
};

/** Returns the evidence of a conversation, cut to the limits of `bounds.ts`. */
export function evidenceOf(
  conversation: Conversation,
  measures: readonly Measure[],
  context: EvidenceContext,
): Evidence {
  const { complete, mockedTools, modality, ...rest } = context;
  const { heard } = conversation;
  const unreliableTimes = heard === undefined ? null : doubtOfTimes(heard);
  const startNs = conversation.turns[0]?.startNs ?? conversation.toolCalls[0]?.startNs ?? 0n;
  const ms = (ns: bigint) => Number(ns - startNs) / 1e6;
  return {
    ...rest,
    turns: conversation.turns.slice(0, TURNS).map((turn) => evidenceTurn(turn, ms)),
    toolCalls: conversation.toolCalls.slice(0, TOOL_CALLS).map((call) => evidenceToolCall(call, ms, mockedTools)),
    measures: Object.fromEntries(
      measures.map((measure) => [measure.name, evidenceMeasure(measure, unreliableTimes)]),
    ) as Record<MeasureName, EvidenceMeasure>,
    ...(unreliableTimes !== null && { unreliableTimes }),
    modality: modality ?? conversation.modality,
    ...(conversation.vocabulary === "simulation" && { keysKnown: true }),
    partial: partialReason(conversation, complete, context.ending),
  };
}

/** Measures that depend on times, although they are not measured in milliseconds. */
const OTHER_TIMES = new Set<MeasureName>([
  "user_interruptions",
  "agent_interruptions",
  "overlap_ratio",
  "talk_ratio",
  "words_per_minute",
]);

function evidenceMeasure(measure: Measure, unreliableTimes: string | null): EvidenceMeasure {
  const { name, unit, provenance, reason, missing, samples } = measure;
  if (unreliableTimes !== null && (unit === "ms" || OTHER_TIMES.has(name)))
    return { provenance: "unavailable", reason: unreliableTimes, missing: 0, samples: [] };
  return {
    provenance,
    reason,
    missing,
    samples: samples.map(({ value, turnIndex, atNs }) => ({
      value,
      turn: turnIndex,
      at: new Date(Number(atNs / 1_000_000n)).toISOString(),
    })),
  };
}

function evidenceTurn(turn: Turn, ms: (ns: bigint) => number): EvidenceTurn {
  const unheard = turn.role === "agent" && turn.interrupted === true && turn.text !== null && turn.heardText === null;
  return {
    speaker: SPEAKERS[turn.role],
    text: turn.heardText ?? turn.text,
    heardText: turn.heardText,
    startMs: ms(turn.startNs),
    endMs: turn.endNs === null ? null : ms(turn.endNs),
    interrupted: turn.interrupted,
    ...(unheard && { unheard }),
  };
}

function evidenceToolCall(
  call: ToolCall,
  ms: (ns: bigint) => number,
  mockedTools: ReadonlySet<string> | null,
): EvidenceToolCall {
  const endNs = call.endNs ?? call.resultNs ?? null;
  return {
    name: call.name,
    arguments: call.arguments,
    result: call.result,
    outcome: call.isError === null ? null : call.isError ? "error" : "ok",
    turn: call.turnIndex,
    startMs: ms(call.startNs),
    endMs: endNs === null ? null : ms(endNs),
    mocked: mockedTools === null || call.name === null ? null : mockedTools.has(call.name),
  };
}

const CUT_SHORT = new Set<Ending["by"]>(["service", "outside", "canceled"]);

function partialReason(
  { vocabulary, turns, toolCalls, lostSpans }: Conversation,
  complete: boolean,
  ending: Ending | null,
): string | null {
  if (ending !== null && CUT_SHORT.has(ending.by))
    return `The conversation was cut short (${ending.reason}), which was not the agent's doing.`;
  if (lostSpans !== undefined)
    return "Spans of the conversation have lost their content, because the storage was damaged.";
  if (vocabulary === null) return "The conversation cannot be read from its spans.";
  if (!complete) return "The conversation is not complete.";
  if (turns.length > TURNS || toolCalls.length > TOOL_CALLS)
    return `Only the first ${TURNS} turns and ${TOOL_CALLS} tool calls were read.`;
  return null;
}

export const readText = ({ text }: EvidenceTurn): string | null => text?.slice(0, TURN_CHARACTERS) ?? null;

export const mayContainMore = ({ text }: EvidenceTurn): boolean => text === null || text.length > TURN_CHARACTERS;
