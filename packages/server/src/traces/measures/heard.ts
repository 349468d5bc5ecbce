import type { MeasureName } from "@svc/contract/constants";
import type { Conversation, HeardSound, Turn } from "../conversation/conversation.ts";
import { overlapsOf, withoutOverlapped } from "./answers.ts";
import { intersection, lengthMs, union } from "./intervals.ts";
import type { MeasureResult, Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";
import { wordErrors } from "./words.ts";

/** The measures of a call's sound that do not use times. */
const NEEDS_NO_TIMES = new Set<MeasureName>(["heard_agent_loudness", "heard_clipping", "heard_word_errors"]);

const NO_CALL = "The service hears only the calls that it places.";
const NO_AGENT_SOUND = "The agent made no sound.";

/** Returns why the measure has no value; null when it may have one. */
export function unheardReason(name: MeasureName, { heard }: Pick<Timeline, "heard">): string | null {
  if (heard === undefined) return NO_CALL;
  if (name === "heard_word_errors") return null;
  if (!heard.isAnalysed) return "The sound of the call could not be analysed.";
  return NEEDS_NO_TIMES.has(name) ? null : doubtOfTimes(heard);
}

export function doubtOfTimes({ frameGapMaxMs, isTimingReliable, isUnclear }: HeardSound): string | null {
  if (isUnclear) return "The call was too noisy to tell when each party spoke, so its times are not known.";
  if (isTimingReliable) return null;
  const gap = frameGapMaxMs === null ? "" : ` for ${Math.round(frameGapMaxMs)} ms`;
  return `The service itself sent no sound${gap}, so the times of the call are not reliable.`;
}

const ofSound =
  (calculate: (heard: HeardSound, timeline: Timeline) => MeasureResult) =>
  (timeline: Timeline): MeasureResult =>
    timeline.heard === undefined ? { reason: NO_CALL } : calculate(timeline.heard, timeline);

export const responseLatency = ofSound((heard, timeline) => withoutOverlapped(answerTimes(heard, timeline)));

export const overlappedAnswers = ofSound((heard, timeline) => overlapsOf(answerTimes(heard, timeline)));

const answerTimes = ({ answers }: HeardSound, timeline: Timeline): MeasureResult =>
  answers.length === 0
    ? { reason: "The agent answered no turn of the caller." }
    : {
        samples: answers.map(({ atNs, responseMs }) => sample(responseMs, atNs, turnNear(timeline, "agent", atNs))),
      };

export const firstSound = ofSound((heard) =>
  heard.firstSoundMs === null ? { reason: NO_AGENT_SOUND } : ofCall(heard, heard.firstSoundMs),
);

export const yieldLatency = ofSound(({ interruptions }, timeline) =>
  interruptions.length === 0
    ? { reason: "The caller did not interrupt the agent." }
    : {
        samples: interruptions.map(({ atNs, keptSpeakingMs }) =>
          sample(keptSpeakingMs, atNs, turnNear(timeline, "agent", atNs)),
        ),
      },
);

export const overlapRatio = ofSound((heard, timeline) => {
  const [caller, agent] = sidesOf(heard, timeline);
  return ratio(heard, lengthMs(intersection(caller, agent)), lengthMs(union([...caller, ...agent])));
});

export const talkRatio = ofSound((heard, timeline) => {
  const [callerMs, agentMs] = sidesOf(heard, timeline).map(lengthMs) as [number, number];
  return ratio(heard, agentMs, callerMs + agentMs);
});

export const silence = ofSound(({ silences }) => ({
  samples: silences.map(({ startNs, endNs }) => sample(Number(endNs - startNs) / 1e6, startNs, null)),
}));

export const agentLoudness = ofSound((heard) =>
  heard.agentSpeechDbfs === null
    ? { reason: (heard.isUnclear && doubtOfTimes(heard)) || NO_AGENT_SOUND }
    : ofCall(heard, heard.agentSpeechDbfs),
);

export const clipping = ofSound((heard) =>
  heard.agentClippedSamples === null ? { reason: NO_AGENT_SOUND } : ofCall(heard, heard.agentClippedSamples),
);

/** Measures the word error rate of the user turns that the agent reports, against what the caller said. */
export const misheardWords = ofSound((heard, { vocabulary, turns }) => {
  if (vocabulary === null || vocabulary === "simulation") {
    return { reason: "The agent does not report which words it heard." };
  }
  const reported = turns.flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []));
  const share = wordErrors(heard.saidTexts, reported);
  return share === null ? { reason: "The words of the caller are not known." } : ofCall(heard, share);
});

const sample = (value: number, atNs: bigint, turnIndex: number | null): Sample => ({
  value,
  provenance: "heard",
  turnIndex,
  atNs,
});

const ofCall = ({ startNs }: HeardSound, value: number): MeasureResult => ({ samples: [sample(value, startNs, null)] });

const ratio = (heard: HeardSound, partMs: number, wholeMs: number): MeasureResult =>
  wholeMs === 0 ? { reason: "Neither party spoke." } : ofCall(heard, partMs / wholeMs);

function sidesOf({ speech }: HeardSound, { ms }: Timeline) {
  const side = (wanted: "caller" | "agent") =>
    union(
      speech.flatMap(({ party, startNs, endNs }) =>
        party === wanted && endNs >= startNs ? [{ startMs: ms(startNs), endMs: ms(endNs) }] : [],
      ),
    );
  return [side("caller"), side("agent")] as const;
}

/** Returns the periods of speech that were heard in the sound of the call, each with the index of the nearest turn of the same party. */
export const heardSpeech = ({ heard, turns }: Conversation) =>
  (heard?.speech ?? []).map(({ party, ...period }) => {
    const role = party === "caller" ? ("user" as const) : ("agent" as const);
    return { ...period, role, turnIndex: turnNear({ turns }, role, period.startNs) };
  });

/** Longest time between the sound of a turn and the time that the agent reports for the turn. */
const NEAR_NS = 2_000_000_000n;

function turnNear({ turns }: Pick<Conversation, "turns">, role: Turn["role"], atNs: bigint): number | null {
  let nearest: { index: number; distanceNs: bigint } | null = null;
  for (const { index, role: party, startNs, endNs } of turns) {
    if (party !== role) continue;
    const lastNs = endNs ?? startNs;
    const distanceNs = atNs < startNs ? startNs - atNs : atNs > lastNs ? atNs - lastNs : 0n;
    if (distanceNs <= NEAR_NS && (nearest === null || distanceNs < nearest.distanceNs)) nearest = { index, distanceNs };
  }
  return nearest?.index ?? null;
}
