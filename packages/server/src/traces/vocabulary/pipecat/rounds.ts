import { byStart, type SpanNode } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, textOf } from "../attribute-values.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { speechEndNs } from "./heard-speech.ts";

/** What Pipecat calls a turn: what the user says and what the agent answers. All spans by start. */
export type Round = {
  span: StoredSpan | null; // sent when it has ended; null until then
  heard: StoredSpan[];
  models: StoredSpan[];
  synthesised: StoredSpan[];
  user: TurnDraft | null;
  agent: TurnDraft | null;
};

const MODELS = new Set(["llm", "llm_request", "llm_response", "llm_tool_call", "llm_tool_result"]);

/** `nodes` has parents before children. */
export function rounds(nodes: readonly SpanNode[]): Round[] {
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
    return (span === null ? cut(sorted) : [sorted]).map((one) => round(span, one, lastStartNs));
  });
}

const isPart = ({ name }: StoredSpan) => name === "stt" || name === "tts" || MODELS.has(name);

/** Where no turn's span holds the parts, another begins with each user's speech after the agent's. */
function cut(parts: readonly StoredSpan[]): StoredSpan[][] {
  const pieces: StoredSpan[][] = [];
  parts.forEach((part, place) => {
    const before = parts[place - 1];
    if (before === undefined || (part.name === "stt" && before.name !== "stt")) pieces.push([part]);
    else pieces.at(-1)!.push(part);
  });
  return pieces;
}

function round(span: StoredSpan | null, parts: readonly StoredSpan[], lastStartNs: bigint): Round {
  const heard = parts.filter(({ name }) => name === "stt");
  const models = parts.filter(({ name }) => MODELS.has(name));
  const synthesised = parts.filter(({ name }) => name === "tts");
  return {
    span,
    heard,
    models,
    synthesised,
    user: userTurn(heard, models),
    agent: agentTurn(span, models, synthesised, span !== null && span.startNs < lastStartNs),
  };
}

/** The turn is decided to have ended when the model is asked. */
function userTurn(heard: readonly StoredSpan[], models: readonly StoredSpan[]): TurnDraft | null {
  const [first, last] = [heard[0], heard.at(-1)];
  if (first === undefined || last === undefined) return null;
  const asked = models.find(({ startNs }) => startNs >= (last.endNs ?? last.startNs));
  return {
    role: "user",
    text: joined(heard, "transcript", " "),
    startNs: first.startNs,
    endNs: speechEndNs(last) === null ? last.endNs : (asked?.startNs ?? null),
    interrupted: null,
    speechId: null,
    confidence: null,
    spanIds: heard.map(({ spanId }) => spanId),
  };
}

/** The words given to synthesis are nearer to what was heard than the model's. */
function agentTurn(
  span: StoredSpan | null,
  models: readonly StoredSpan[],
  synthesised: readonly StoredSpan[],
  hasNext: boolean,
): TurnDraft | null {
  const text = joined(synthesised, "text", " ") ?? joined(models, "output", "\n");
  if (synthesised.length === 0 && text === null) return null;
  const parts = [...models, ...synthesised].sort(byStart);
  return {
    role: "agent",
    text,
    startNs: parts[0]!.startNs,
    endNs: span?.endNs ?? null,
    interrupted: span === null ? null : interrupted(span, hasNext),
    speechId: null,
    confidence: null,
    spanIds: parts.map(({ spanId }) => spanId),
  };
}

/** The end of the call is written as an interruption too; a true one begins the next turn. */
function interrupted({ attributes }: StoredSpan, hasNext: boolean): boolean | null {
  const flag = flagOf(attributes["turn.was_interrupted"]);
  if (flag !== true) return flag;
  return hasNext && flagOf(attributes["turn.ended_by_conversation_end"]) !== true ? true : null;
}

const joined = (spans: readonly StoredSpan[], key: string, by: string): string | null =>
  textOf(spans.flatMap(({ attributes }) => textOf(attributes[key])?.trim() ?? []).join(by));
