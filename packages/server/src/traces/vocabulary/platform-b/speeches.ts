import { byStart, type SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, textOf } from "../attribute-values.ts";
import type { TurnDraft } from "../vocabulary.ts";
import type { AgentNames } from "./agent-names.ts";
import { lengthMs, paceOf, playedMs, wordsWithin } from "./heard-text.ts";
import { isAgentTurn } from "./names.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import { interruptedSpeeches } from "./session-events.ts";
import { responseOf, stepTexts } from "./step-texts.ts";

/**
 * A speech in the sense of LiveKit Agents: everything that the agent does in answer to one input, under one speech id. A speech has a turn
 * span for each step of a tool loop, or one turn span for all steps.
 */
export type Speech = {
  steps: StoredSpan[]; // by start
  requests: StoredSpan[]; // llm_node
  tools: StoredSpan[];
  syntheses: SpanNode[]; // tts_request
  audio: StoredSpan[]; // agent_speaking
  turn: TurnDraft | null; // null when the speech failed or was discarded before any text, audio or tool call
};

/** The pace is computed on demand, because few speeches need it. */
type Pace = () => number | null;

/** `nodes` must have parents before children. */
export function speechBySpan(
  nodes: readonly SpanNode[],
  named: NodesByName,
  agentOf: AgentNames,
): Map<SpanNode, Speech> {
  const speechOf = new Map<SpanNode, Speech>();
  const byId = new Map<string, Speech>();
  for (const node of nodes) {
    const speech = isAgentTurn(node.span) ? speechOfStep(node.span, byId) : node.parent && speechOf.get(node.parent);
    if (!speech) continue;
    speechOf.set(node, speech);
    if (isAgentTurn(node.span)) speech.steps.push(node.span);
    else if (node.span.name === "llm_node") speech.requests.push(node.span);
    else if (node.span.name === "function_tool") speech.tools.push(node.span);
    else if (node.span.name === "tts_request") speech.syntheses.push(node);
    else if (node.span.name === "agent_speaking") speech.audio.push(node.span);
  }
  joinToolSteps(speechOf, byId);
  let pace: number | null | undefined;
  const usualPace = () => {
    if (pace === undefined) pace = paceOf(named("tts_request"));
    return pace;
  };
  const interrupted = interruptedSpeeches(named);
  for (const [id, speech] of byId) {
    for (const spans of [speech.steps, speech.requests, speech.tools]) spans.sort(byStart);
    speech.turn = turnOf(speech, interrupted.has(id), usualPace, agentOf);
  }
  return speechOf;
}

/** Longest time from the result of a tool to the start of the speech that answers it. */
const ANSWER_WITHIN_NS = 1_000_000_000n;

/**
 * Joins a speech that only calls tools with the speech that answers their results. In speech-to-speech sessions in JavaScript, the two
 * have different ids.
 */
function joinToolSteps(speechOf: Map<SpanNode, Speech>, byId: Map<string, Speech>): void {
  const ordered = [...byId].sort(([, a], [, b]) => byStart(a.steps[0]!, b.steps[0]!));
  const answers = new Map<Speech, Speech>();
  for (const [at, [id, speech]] of ordered.entries()) {
    const { steps, tools, audio, requests } = speech;
    const answer = ordered[at + 1]?.[1];
    const endNs = lastEnd([...steps, ...tools]);
    if (answer === undefined || endNs === null || tools.length === 0 || audio.length + requests.length > 0) continue;
    const startNs = answer.steps[0]!.startNs;
    if (startNs < endNs || startNs - endNs > ANSWER_WITHIN_NS || stepTexts(speech).length > 0) continue;
    answer.steps.unshift(...steps);
    answer.tools.unshift(...tools);
    answers.set(speech, answer);
    byId.delete(id);
  }
  for (const [node, speech] of speechOf) {
    let answer = answers.get(speech);
    while (answer !== undefined && answers.has(answer)) answer = answers.get(answer);
    if (answer !== undefined) speechOf.set(node, answer);
  }
}

/** Returns the turn of a speech; null when the speech has no text, no audio and no tool call. */
function turnOf(speech: Speech, isReported: boolean, usualPace: Pace, agentOf: AgentNames): TurnDraft | null {
  const texts = stepTexts(speech);
  if (texts.length === 0 && speech.tools.length === 0 && speech.audio.length === 0) return null;
  const stated = speech.steps.map((step) => flagOf(step.attributes["lk.interrupted"]));
  const interruptions = isReported && !stated.some((flag) => flag !== null) ? [true] : stated;
  const said = interruptions.includes(true)
    ? cutShort(speech, texts, usualPace)
    : { text: texts.length > 0 ? texts.join("\n") : null, heardText: null };
  return {
    role: "agent",
    ...said,
    agentName: agentOf(speech.steps[0]!),
    startNs: speech.steps[0]!.startNs,
    endNs: lastEnd(speech.steps),
    interrupted: interruptions.includes(true) || (interruptions.includes(false) ? false : null),
    speechId: textOf(speech.steps[0]!.attributes["lk.speech_id"]),
    confidence: null,
    spanIds: speech.steps.map((step) => step.spanId),
  };
}

/**
 * Returns the text of an interrupted turn and its heard part. When the transcript is synchronised with the audio, the turn's span has only
 * the heard part, and the model's answer is longer. Otherwise the heard part is estimated from the played time and the pace of speech.
 */
function cutShort(speech: Speech, texts: readonly string[], usualPace: Pace): SaidText {
  const last = texts.at(-1);
  if (last === undefined) return { text: null, heardText: null };
  const earlier = texts.slice(0, -1);
  const whole = speech.requests.map(responseOf).findLast((answer) => answer?.startsWith(last) ?? false) ?? last;
  const text = [...earlier, whole].join("\n");
  if (whole.trimEnd().length > last.trimEnd().length) return { text, heardText: texts.join("\n") };
  const interrupted = speech.steps.findLast(({ attributes }) => flagOf(attributes["lk.interrupted"]) === true);
  const step = interrupted ?? speech.steps.at(-1)!;
  const [positionMs, audioMs] = [playedMs(step), lengthMs(speech.audio)];
  if (positionMs === 0) return { text, heardText: earlier.join("\n") };
  if (positionMs === null && audioMs === null) return { text, heardText: null };
  const pace = paceOf(speech.syntheses) ?? usualPace();
  if (pace === null) return { text, heardText: null };
  if (positionMs === null) return { text, heardText: wordsWithin(text, audioMs!, pace) };
  return {
    text,
    heardText: [...earlier, wordsWithin(last, positionMs, pace)].filter((part) => part !== "").join("\n"),
  };
}

type SaidText = Pick<TurnDraft, "text" | "heardText">;

function speechOfStep(step: StoredSpan, byId: Map<string, Speech>): Speech {
  const id = textOf(step.attributes["lk.speech_id"]) ?? `span ${step.traceId} ${step.spanId}`;
  const speech = byId.get(id) ?? { steps: [], requests: [], tools: [], syntheses: [], audio: [], turn: null };
  byId.set(id, speech);
  return speech;
}

/** Returns the end of the step that ends last; null when a step has not ended. */
export function lastEnd(steps: readonly StoredSpan[]): bigint | null {
  let last: bigint | null = null;
  for (const { endNs } of steps) {
    if (endNs === null) return null;
    if (last === null || endNs > last) last = endNs;
  }
  return last;
}
