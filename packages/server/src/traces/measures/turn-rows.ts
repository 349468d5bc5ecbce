import { cutText, LIMITS } from "@svc/contract/constants";
import type { Conversation, ToolCall, Turn } from "../conversation/conversation.ts";
import type { Measure, Sample } from "./measure.ts";

/** A turn of an agent, as the list of turns shows it. Null means unknown. */
export type TurnRow = {
  index: number;
  startedNs: bigint;
  userText: string | null;
  agentText: string | null;
  answerMs: number | null;
  provenance: Sample["provenance"] | null;
  interrupted: boolean | null;
  tools: string[];
  toolFailed: boolean | null;
};

/** The measures of the time to answer. The first one with a sample for a turn gives the turn's time. */
const ANSWER_TIMES = ["response_latency", "text_response_time", "heard_response_latency"] as const;

const TOOL_NAME_CHARACTERS = 256;

/** Returns a row for each of the agent's first turns, in the order of the conversation. */
export function turnRowsOf(conversation: Conversation, measures: readonly Measure[]): TurnRow[] {
  const times = answerTimesOf(measures);
  const interrupted = interruptionsOf(measures);
  const toolCalls = Map.groupBy(conversation.toolCalls, ({ turnIndex }) => turnIndex);
  const rows: TurnRow[] = [];
  let said: string[] = [];
  for (const turn of conversation.turns) {
    if (turn.role === "user" && turn.text !== null) said.push(turn.text);
    if (turn.role === "user") continue;
    const heardBefore = said;
    said = [];
    if (turn.role !== "agent") continue;
    if (rows.length === LIMITS.turnsListed) break;
    const time = times.get(turn.index);
    const calls = toolCalls.get(turn.index) ?? [];
    rows.push({
      index: turn.index,
      startedNs: turn.startNs,
      userText: shortText(heardBefore.join(" ")),
      agentText: shortText(turn.text ?? ""),
      answerMs: time?.value ?? null,
      provenance: time?.provenance ?? null,
      interrupted: interrupted(turn),
      tools: toolNamesOf(calls),
      toolFailed: isAnyFailed(calls),
    });
  }
  return rows;
}

const shortText = (text: string): string | null =>
  cutText(text.trim(), LIMITS.turnTextCharacters).toWellFormed() || null;

const samplesOf = (measures: readonly Measure[], wanted: Measure["name"]): readonly Sample[] =>
  measures.find(({ name }) => name === wanted)?.samples ?? [];

/** In one turn, an agent may answer several turns of the caller. The slowest answer then counts. */
function answerTimesOf(measures: readonly Measure[]): Map<number, Sample> {
  const times = new Map<number, Sample>();
  for (const name of ANSWER_TIMES.toReversed()) {
    const slowest = new Map<number, Sample>();
    for (const sample of samplesOf(measures, name)) {
      const { turnIndex, value } = sample;
      if (turnIndex !== null && value > (slowest.get(turnIndex)?.value ?? -1)) slowest.set(turnIndex, sample);
    }
    for (const [turn, sample] of slowest) times.set(turn, sample);
  }
  return times;
}

/** Where the spans do not show it, a call that was heard shows whether the caller cut the agent short. */
function interruptionsOf(measures: readonly Measure[]): (turn: Turn) => boolean | null {
  const shown = new Map(
    samplesOf(measures, "user_interruptions").map(({ turnIndex, value }) => [turnIndex, value === 1]),
  );
  const isHeard = measures.some(({ name, provenance }) => name === "heard_silence" && provenance === "heard");
  const heard = new Set(samplesOf(measures, "heard_yield_latency").map(({ turnIndex }) => turnIndex));
  return ({ index, interrupted }) =>
    shown.get(index) ?? (heard.has(index) ? true : isHeard || interrupted === false ? false : null);
}

const toolNamesOf = (calls: readonly ToolCall[]): string[] => {
  const names = calls.flatMap(({ name }) => name?.slice(0, TOOL_NAME_CHARACTERS).toWellFormed() ?? []);
  return [...new Set(names)].slice(0, LIMITS.toolsOfListedTurn);
};

function isAnyFailed(calls: readonly ToolCall[]): boolean | null {
  if (calls.some(({ isError }) => isError === true)) return true;
  return calls.every(({ isError }) => isError === false) ? false : null;
}
