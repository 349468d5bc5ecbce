import { byStart, type SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, textOf } from "../attribute-values.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { EMPTY_TURN } from "../empty-turn.ts";
import { speechEndNs } from "./recognition-times.ts";

/** A turn in Pipecat's sense: a turn of the user and the agent's answer. All spans are sorted by start. */
export type Round = {
  span: StoredSpan | null; // null until Pipecat sends the span, at the end of the turn
  recognitions: StoredSpan[];
  models: StoredSpan[];
  syntheses: StoredSpan[];
  user: TurnDraft | null;
  agent: TurnDraft | null;
};

const MODELS = new Set(["llm", "llm_request", "llm_response", "llm_tool_call", "llm_tool_result"]);

/** `nodes` must have parents before children. */
export function roundsOf(nodes: readonly SpanNode[]): Round[] {
  const turns = nodes.filter(({ span }) => span.name === "turn");
  const groups = new Map<string, { span: StoredSpan | null; parts: StoredSpan[] }>();
  const keyOf = new Map<SpanNode, string>();
  for (const { span } of turns) groups.set(span.traceId + span.spanId, { span, parts: [] });
  for (const node of nodes) {
    const { span, parent } = node;
    const own = span.traceId + span.spanId;
    const above = parent === null ? span.traceId + (span.parentSpanId ?? "") : keyOf.get(parent)!;
    keyOf.set(node, span.name === "turn" ? own : above);
    if (span.name === "turn" || !isPart(span)) continue;
    const group = groups.get(above) ?? { span: null, parts: [] };
    group.parts.push(span);
    groups.set(above, group);
  }
  const starts = turns.map(({ span }) => span.startNs);
  const lastStartNs = starts.reduce((a, b) => (b > a ? b : a), starts[0] ?? 0n);
  return [...groups.values()].flatMap(({ span, parts }) => {
    const sorted = parts.toSorted(byStart);
    return (span === null ? splitByRecognition(sorted) : [sorted]).map((piece) => round(span, piece, lastStartNs));
  });
}

const isPart = ({ name }: StoredSpan) => name === "stt" || name === "tts" || MODELS.has(name);

/** Groups spans without a turn span. A new round begins when the user speaks after the agent. */
function splitByRecognition(parts: readonly StoredSpan[]): StoredSpan[][] {
  const pieces: StoredSpan[][] = [];
  parts.forEach((part, position) => {
    const before = parts[position - 1];
    if (before === undefined || (part.name === "stt" && before.name !== "stt")) pieces.push([part]);
    else pieces.at(-1)!.push(part);
  });
  return pieces;
}

function round(span: StoredSpan | null, parts: readonly StoredSpan[], lastStartNs: bigint): Round {
  const recognitions = parts.filter(({ name }) => name === "stt");
  const models = parts.filter(({ name }) => MODELS.has(name));
  const syntheses = parts.filter(({ name }) => name === "tts");
  return {
    span,
    recognitions,
    models,
    syntheses,
    user: userTurn(recognitions, models),
    agent: agentTurn(span, models, syntheses, span !== null && span.startNs < lastStartNs),
  };
}

/** Returns the user's turn. The turn ends when the request to the model starts, because this request contains all words of the turn. */
function userTurn(recognitions: readonly StoredSpan[], models: readonly StoredSpan[]): TurnDraft | null {
  const [first, last] = [recognitions[0], recognitions.at(-1)];
  if (first === undefined || last === undefined) return null;
  const request = models.find(({ startNs }) => startNs >= (last.endNs ?? last.startNs));
  return {
    role: "user",
    text: joined(recognitions, "transcript", " "),
    startNs: first.startNs,
    endNs: speechEndNs(last) === null ? last.endNs : (request?.startNs ?? null),
    ...EMPTY_TURN,
    spanIds: recognitions.map(({ spanId }) => spanId),
  };
}

/** Prefers the text of the synthesis to the model's text, because the synthesised text is closer to the audio. */
function agentTurn(
  span: StoredSpan | null,
  models: readonly StoredSpan[],
  syntheses: readonly StoredSpan[],
  hasNext: boolean,
): TurnDraft | null {
  const text = joined(syntheses, "text", " ") ?? joined(models, "output", "\n");
  if (syntheses.length === 0 && text === null) return null;
  const parts = [...models, ...syntheses].sort(byStart);
  return {
    role: "agent",
    text,
    startNs: parts[0]!.startNs,
    endNs: span?.endNs ?? null,
    ...EMPTY_TURN,
    interrupted: span === null ? null : interrupted(span, hasNext),
    spanIds: parts.map(({ spanId }) => spanId),
  };
}

/**
 * Returns whether the user interrupted the turn; null when unknown. Pipecat also marks the last turn as interrupted when the call ends, so
 * this mark counts only when another turn follows.
 */
function interrupted({ attributes }: StoredSpan, hasNext: boolean): boolean | null {
  const flag = flagOf(attributes["turn.was_interrupted"]);
  if (flag !== true) return flag;
  return hasNext && flagOf(attributes["turn.ended_by_conversation_end"]) !== true ? true : null;
}

const joined = (spans: readonly StoredSpan[], key: string, by: string): string | null =>
  textOf(spans.flatMap(({ attributes }) => textOf(attributes[key])?.trim() ?? []).join(by));
