import type { MeasureName, Provenance } from "@svc/contract";
import type { Conversation, ToolCall, Turn } from "../traces/conversation.ts";
import type { Measure } from "../traces/measures/measure.ts";
import { TOOL_CALLS, TURN_CHARACTERS, TURNS } from "./bounds.ts";

/** Times are milliseconds from the start of the first turn; null is not known. */
export type EvidenceTurn = {
  speaker: "caller" | "agent";
  text: string | null;
  startMs: number;
  endMs: number | null;
  interrupted: boolean | null;
};

export type EvidenceToolCall = {
  name: string | null;
  arguments: unknown; // parsed JSON or text; null: withheld
  result: unknown; // what the tool answered, its error when it failed
  outcome: "ok" | "error" | null;
  turn: number | null; // the agent's turn that made the call
  startMs: number;
  mocked: boolean | null; // null: not a simulation
};

type EvidenceMeasure = {
  provenance: Provenance;
  reason: string | null; // why it is unavailable
  missing: number; // occasions whose value is not known
  samples: { value: number; turn: number | null }[];
};

/** Why a conversation ended and by whose doing; `service` is ours, `outside` is neither party nor ours. */
type Ending = {
  reason: string;
  by: "agent" | "caller" | "limit" | "service" | "outside" | "canceled";
};

/** What the conversation alone does not tell. */
export type EvidenceContext = {
  ending: Ending | null; // null: not known, as of most production conversations
  complete: boolean; // nothing more will come, and nothing was left out
  toolsVisible: boolean; // false: the agent may call tools that are not among the spans
  mockedTools: ReadonlySet<string> | null; // null: not a simulation
  modality: "voice" | "text" | null; // of the connection; null: as the spans tell
  scenario: string | null;
  persona: string | null;
  date: string; // on which it took place, YYYY-MM-DD
};

/** All that graders look at. Turns and tool calls are named by their place from 0, as in the trace. */
export type Evidence = {
  turns: EvidenceTurn[];
  toolCalls: EvidenceToolCall[];
  measures: Record<MeasureName, EvidenceMeasure>;
  modality: "voice" | "text" | null;
  ending: Ending | null;
  /** Why what is not here may still have happened, in a sentence; null when all is here. */
  partial: string | null;
  toolsVisible: boolean;
  scenario: string | null;
  persona: string | null;
  date: string;
};

export function evidenceOf(
  conversation: Conversation,
  measures: readonly Measure[],
  context: EvidenceContext,
): Evidence {
  const { complete, mockedTools, modality, ...rest } = context;
  const startNs = conversation.turns[0]?.startNs ?? conversation.toolCalls[0]?.startNs ?? 0n;
  const ms = (ns: bigint) => Number(ns - startNs) / 1e6;
  return {
    ...rest,
    turns: conversation.turns.slice(0, TURNS).map((turn) => evidenceTurn(turn, ms)),
    toolCalls: conversation.toolCalls.slice(0, TOOL_CALLS).map((call) => evidenceToolCall(call, ms, mockedTools)),
    measures: Object.fromEntries(
      measures.map(({ name, provenance, reason, missing, samples }) => [
        name,
        {
          provenance,
          reason,
          missing,
          samples: samples.map(({ value, turnIndex }) => ({ value, turn: turnIndex })),
        },
      ]),
    ) as Record<MeasureName, EvidenceMeasure>,
    modality: modality ?? conversation.modality,
    partial: partialBecause(conversation, complete, context.ending),
  };
}

function evidenceTurn(turn: Turn, ms: (ns: bigint) => number): EvidenceTurn {
  return {
    speaker: turn.role === "user" ? "caller" : "agent",
    text: turn.text,
    startMs: ms(turn.startNs),
    endMs: turn.endNs === null ? null : ms(turn.endNs),
    interrupted: turn.interrupted,
  };
}

function evidenceToolCall(
  call: ToolCall,
  ms: (ns: bigint) => number,
  mockedTools: ReadonlySet<string> | null,
): EvidenceToolCall {
  return {
    name: call.name,
    arguments: call.arguments,
    result: call.result,
    outcome: call.isError === null ? null : call.isError ? "error" : "ok",
    turn: call.turnIndex,
    startMs: ms(call.startNs),
    mocked: mockedTools === null || call.name === null ? null : mockedTools.has(call.name),
  };
}

const CUT_SHORT = new Set<Ending["by"]>(["service", "outside", "canceled"]);

function partialBecause(
  { vocabulary, turns, toolCalls }: Conversation,
  complete: boolean,
  ending: Ending | null,
): string | null {
  if (ending !== null && CUT_SHORT.has(ending.by))
    return `The conversation was cut short (${ending.reason}), which was not the agent's doing.`;
  if (vocabulary === null) return "The conversation cannot be read from its spans.";
  if (!complete) return "The conversation is not complete.";
  if (turns.length > TURNS || toolCalls.length > TOOL_CALLS)
    return `Only the first ${TURNS} turns and ${TOOL_CALLS} tool calls were read.`;
  return null;
}

/** The part of a turn's text that is read; what lies behind it is not known. */
export const readText = ({ text }: EvidenceTurn): string | null => text?.slice(0, TURN_CHARACTERS) ?? null;

/** Whether the turn may have said more than `readText` gives. */
export const saidMore = ({ text }: EvidenceTurn): boolean => text === null || text.length > TURN_CHARACTERS;
