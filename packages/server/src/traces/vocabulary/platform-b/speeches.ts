import { byStart, type SpanNode } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, textOf } from "../attribute-values.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { isAgentTurn } from "./names.ts";
import { stepTexts } from "./step-texts.ts";

/**
 * A speech in the sense of LiveKit Agents: everything that the agent does in answer to one input, under one speech id.
 * It has one turn span for each step of a tool loop, or one turn span for all steps.
 */
export type Speech = {
  steps: StoredSpan[]; // by start
  requests: StoredSpan[]; // llm_node
  tools: StoredSpan[];
  spoke: boolean; // audio was played
  turn: TurnDraft | null; // null: begun before the user's last word and discarded
};

/** Returns the speech of each span that belongs to one. `nodes` has parents before children. */
export function speechBySpan(nodes: readonly SpanNode[]): Map<SpanNode, Speech> {
  const speechOf = new Map<SpanNode, Speech>();
  const byId = new Map<string, Speech>();
  for (const node of nodes) {
    const speech = isAgentTurn(node.span) ? speechOfStep(node.span, byId) : node.parent && speechOf.get(node.parent);
    if (!speech) continue;
    speechOf.set(node, speech);
    if (isAgentTurn(node.span)) speech.steps.push(node.span);
    else if (node.span.name === "llm_node") speech.requests.push(node.span);
    else if (node.span.name === "function_tool") speech.tools.push(node.span);
    else if (node.span.name === "agent_speaking") speech.spoke = true;
  }
  for (const speech of byId.values()) {
    for (const spans of [speech.steps, speech.requests, speech.tools]) spans.sort(byStart);
    speech.turn = turnOf(speech);
  }
  return speechOf;
}

/** Returns the turn of a speech; null if the speech has no text, no audio and no tool call. */
function turnOf(speech: Speech): TurnDraft | null {
  const texts = stepTexts(speech);
  if (texts.length === 0 && speech.tools.length === 0 && !speech.spoke) return null;
  const interruptions = speech.steps.map((step) => flagOf(step.attributes["lk.interrupted"]));
  return {
    role: "agent",
    text: texts.length > 0 ? texts.join("\n") : null,
    startNs: speech.steps[0]!.startNs,
    endNs: lastEnd(speech.steps),
    interrupted: interruptions.includes(true) || (interruptions.includes(false) ? false : null),
    speechId: textOf(speech.steps[0]!.attributes["lk.speech_id"]),
    confidence: null,
    spanIds: speech.steps.map((step) => step.spanId),
  };
}

function speechOfStep(step: StoredSpan, byId: Map<string, Speech>): Speech {
  const id = textOf(step.attributes["lk.speech_id"]) ?? `span ${step.traceId} ${step.spanId}`;
  const speech = byId.get(id) ?? { steps: [], requests: [], tools: [], spoke: false, turn: null };
  byId.set(id, speech);
  return speech;
}

/** Returns the end of the last step; null while any step has not ended. */
function lastEnd(steps: readonly StoredSpan[]): bigint | null {
  let last: bigint | null = null;
  for (const { endNs } of steps) {
    if (endNs === null) return null;
    if (last === null || endNs > last) last = endNs;
  }
  return last;
}
