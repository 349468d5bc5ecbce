import type { ModelCall, SpeechCall, Turn } from "../conversation/conversation.ts";
import { answeredTurns, isOverlapped, overlapsOf, withoutOverlapped } from "./answers.ts";
import { type MeasureResult, resultOf, type Sample, weakest } from "./measure.ts";
import type { Timeline } from "./timeline.ts";

const NO_ANSWER = "The agent answered no user turn with audio.";
const NO_SPEECH = "The spans show no period of the user's speech.";
const NO_SPEECH_END = "The spans show neither the latency nor the end of the user's speech.";

/** Leaves out answers that start before the user's speech ends, because they would look like fast answers. */
export const responseLatency = (timeline: Timeline): MeasureResult =>
  withoutOverlapped(resultOf(latenciesOf(timeline), NO_ANSWER, NO_SPEECH_END));

export const overlappedAnswers = (timeline: Timeline): MeasureResult =>
  overlapsOf(resultOf(latenciesOf(timeline), NO_ANSWER, NO_SPEECH_END));

const latenciesOf = (timeline: Timeline) => answeredTurns(timeline).map(({ latency }) => latency);

export function textResponseTime(timeline: Timeline): MeasureResult {
  const samples: (Sample | null)[] = [];
  let question: Turn | null = null;
  for (const turn of timeline.turns) {
    if (turn.role === "agent" && question !== null) samples.push(textResponse(question, turn, timeline));
    question = turn.role === "user" ? turn : null;
  }
  return resultOf(samples, "The agent answered no user turn.", "No answer has a known end.");
}

function textResponse(question: Turn, reply: Turn, timeline: Timeline): Sample | null {
  const at = { turnIndex: reply.index, atNs: reply.startNs };
  const reportedMs = timeline.reportOf(reply)?.textResponseMs ?? null;
  if (reportedMs !== null) return { ...at, value: reportedMs, provenance: "measured" };
  const value = reply.endNs === null ? null : timeline.ms(reply.endNs) - timeline.ms(question.startNs);
  return value === null || value < 0 ? null : { ...at, value, provenance: "measured" };
}

export const endOfUtteranceDelay = (timeline: Timeline): MeasureResult =>
  resultOf(
    spokenTurns(timeline).map((turn) => endOfUtterance(turn, timeline)),
    NO_SPEECH,
    "The spans show neither the delay nor the end of the user's speech.",
  );

export const transcriptionDelay = (timeline: Timeline): MeasureResult =>
  resultOf(
    spokenTurns(timeline).map((turn) => reported(turn, timeline.reportOf(turn)?.transcriptionDelayMs ?? null)),
    NO_SPEECH,
    "The platform did not report it.",
  );

/**
 * Measures the part of an answer's latency that is not in its reported parts: the end-of-utterance delay, the model and the speech
 * synthesis. If a turn has several model calls, for example around a tool call, only the last model call before the speech synthesis
 * counts.
 */
export function unexplainedLatency(timeline: Timeline): MeasureResult {
  const modelCalls = Map.groupBy(timeline.modelCalls, (call) => call.turnIndex);
  const speechCalls = Map.groupBy(timeline.speechCalls, (call) => call.turnIndex);
  const timed = answeredTurns(timeline).filter(({ latency }) => latency === null || !isOverlapped(latency));
  const samples = timed.map(({ question, reply, latency }) => {
    const synthesis = speechCalls.get(reply.index)?.find((call) => call.timeToFirstByteMs !== null);
    const model = modelCalls
      .get(reply.index)
      ?.findLast(
        (call) => call.timeToFirstTokenMs !== null && synthesis !== undefined && call.startNs <= synthesis.startNs,
      );
    return unexplained(latency, endOfUtterance(question, timeline), model, synthesis);
  });
  return resultOf(samples, NO_ANSWER, "No turn has a value for each part of its latency.");
}

export function greetingLatency(timeline: Timeline): MeasureResult {
  const { session, user, agent, turns } = timeline;
  const first = agent[0];
  const greeting = turns[0];
  if (first === undefined) return { reason: "The spans show no audio of the agent." };
  if (session === null) return { reason: "The session's span has not arrived." };
  // The user may begin to speak before a slow greeting is audible, so the start of the greeting's turn decides who speaks first.
  const begunMs =
    greeting !== undefined && greeting.index === first.turnIndex ? timeline.ms(greeting.startNs) : first.startMs;
  const userFirst = greeting?.role === "user" || (user[0] !== undefined && user[0].startMs <= begunMs);
  const value = first.startMs - timeline.ms(session.startNs);
  if (userFirst || value < 0) return { reason: "The agent did not speak first." };
  return {
    samples: [{ value, provenance: "measured", turnIndex: first.turnIndex, atNs: timeline.ns(first.startMs) }],
  };
}

const spokenTurns = (timeline: Timeline): Turn[] =>
  timeline.turns.filter((turn) => {
    if (turn.role !== "user") return false;
    const report = timeline.reportOf(turn);
    const isReported = (report?.endOfUtteranceDelayMs ?? report?.transcriptionDelayMs ?? null) !== null;
    return isReported || timeline.speechOf(turn).length > 0;
  });

function endOfUtterance(turn: Turn, timeline: Timeline): Sample | null {
  const sample = reported(turn, timeline.reportOf(turn)?.endOfUtteranceDelayMs ?? null);
  const speech = timeline.speechOf(turn);
  if (sample !== null || turn.endNs === null || speech.length === 0) return sample;
  const value = timeline.ms(turn.endNs) - speech.reduce((last, { endMs }) => Math.max(last, endMs), -Infinity);
  return value < 0 ? null : { value, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
}

const reported = (turn: Turn, value: number | null): Sample | null =>
  value === null ? null : { value, provenance: "provider_reported", turnIndex: turn.index, atNs: turn.startNs };

function unexplained(
  latency: Sample | null,
  endOfUtteranceDelay: Sample | null,
  model: ModelCall | undefined,
  synthesis: SpeechCall | undefined,
): Sample | null {
  const [firstToken, firstByte] = [model?.timeToFirstTokenMs ?? null, synthesis?.timeToFirstByteMs ?? null];
  if (latency === null || endOfUtteranceDelay === null || firstToken === null || firstByte === null) return null;
  return {
    ...latency,
    value: latency.value - endOfUtteranceDelay.value - firstToken - firstByte,
    provenance: weakest([latency.provenance, endOfUtteranceDelay.provenance, "provider_reported"]),
  };
}
