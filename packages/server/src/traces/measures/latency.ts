import type { ModelCall, SpeechCall, Turn } from "../conversation.ts";
import { type Answer, answersOf } from "./answers.ts";
import { type Found, found, type Sample, weakest } from "./measure.ts";
import type { Timeline } from "./timeline.ts";

const NO_SPEECH_END = "The spans tell neither the latency nor when the user stopped speaking.";

export const responseLatency = (timeline: Timeline): Found =>
  found(
    answersOf(timeline).map(({ latency }) => latency),
    "No user turn was answered with audio.",
    NO_SPEECH_END,
  );

export const endOfUtteranceDelay = (timeline: Timeline): Found =>
  found(
    spokenTurns(timeline).map((turn) => endOfUtterance(turn, timeline)),
    "No user turn was heard.",
    "The spans tell neither the delay nor the end of the speech.",
  );

export const transcriptionDelay = (timeline: Timeline): Found =>
  found(
    spokenTurns(timeline).map((turn) => reported(turn, timeline.reportOf(turn)?.transcriptionDelayMs ?? null)),
    "No user turn was heard.",
    "The platform did not report it.",
  );

/** What the parts leave over; where a tool was called, the model call that led to the first audio is the last one. */
export function unexplainedLatency(timeline: Timeline): Found {
  const modelCalls = Map.groupBy(timeline.modelCalls, (call) => call.turnIndex);
  const speechCalls = Map.groupBy(timeline.speechCalls, (call) => call.turnIndex);
  const samples = answersOf(timeline).map((answer) => {
    const synthesis = speechCalls.get(answer.answered.index)?.find((call) => call.timeToFirstByteMs !== null);
    const model = modelCalls
      .get(answer.answered.index)
      ?.findLast((call) => synthesis !== undefined && call.startNs <= synthesis.startNs);
    return unexplained(answer, endOfUtterance(answer.asked, timeline), model, synthesis);
  });
  return found(samples, "No user turn was answered with audio.", "No turn has all of its parts.");
}

export function greetingLatency(timeline: Timeline): Found {
  const { session, user, agent, turns } = timeline;
  const first = agent[0];
  if (first === undefined) return { reason: "No audio of the agent is known." };
  if (session === null) return { reason: "The session's span has not arrived." };
  const userFirst = turns[0]?.role === "user" || (user[0] !== undefined && user[0].startMs <= first.startMs);
  const value = first.startMs - timeline.ms(session.startNs);
  if (userFirst || value < 0) return { reason: "The agent did not speak first." };
  return {
    samples: [{ value, provenance: "measured", turnIndex: first.turnIndex, atNs: timeline.ns(first.startMs) }],
  };
}

/** Typed turns have no speech. */
const spokenTurns = (timeline: Timeline): Turn[] =>
  timeline.turns.filter((turn) => {
    if (turn.role !== "user") return false;
    const report = timeline.reportOf(turn);
    const isReported = (report?.endOfUtteranceDelayMs ?? report?.transcriptionDelayMs ?? null) !== null;
    return isReported || timeline.speechOf(turn).length > 0;
  });

function endOfUtterance(turn: Turn, timeline: Timeline): Sample | null {
  const stated = reported(turn, timeline.reportOf(turn)?.endOfUtteranceDelayMs ?? null);
  const speech = timeline.speechOf(turn);
  if (stated !== null || turn.endNs === null || speech.length === 0) return stated;
  const value = timeline.ms(turn.endNs) - speech.reduce((last, { endMs }) => Math.max(last, endMs), -Infinity);
  return value < 0 ? null : { value, provenance: "measured", turnIndex: turn.index, atNs: turn.startNs };
}

const reported = (turn: Turn, value: number | null): Sample | null =>
  value === null ? null : { value, provenance: "provider_reported", turnIndex: turn.index, atNs: turn.startNs };

function unexplained(
  { latency }: Answer,
  waited: Sample | null,
  model: ModelCall | undefined,
  synthesis: SpeechCall | undefined,
): Sample | null {
  const [firstToken, firstByte] = [model?.timeToFirstTokenMs ?? null, synthesis?.timeToFirstByteMs ?? null];
  if (latency === null || waited === null || firstToken === null || firstByte === null) return null;
  return {
    ...latency,
    value: latency.value - waited.value - firstToken - firstByte,
    provenance: weakest([latency.provenance, waited.provenance, "provider_reported"]),
  };
}
