import type { StoredSpan } from "../stored-span.ts";
import { flagOf, numberOf, textOf } from "./attribute-values.ts";
import { isRootOfCall, SIMULATION_SCOPE } from "./simulation-names.ts";

/** Names of the spans with what was heard in the sound of a simulated call. The spans are children of the simulation's root span. */
export const HEARD_SPANS = {
  speech: "svc.heard.speech",
  answer: "svc.heard.answer",
  interruption: "svc.heard.interruption",
  silence: "svc.heard.silence",
  said: "svc.heard.said",
} as const;

export type HeardSound = {
  /** False if the sound could not be analysed, so that nothing was measured. */
  isAnalysed: boolean;
  isTimingReliable: boolean;
  /** Whether noise made it unclear when the parties spoke. */
  isUnclear: boolean;
  frameGapMaxMs: number | null;
  speech: { party: "caller" | "agent"; startNs: bigint; endNs: bigint; spanId: string }[];
  /** `atNs` is the time at which the agent begins to speak. */
  answers: { atNs: bigint; responseMs: number }[];
  interruptions: { atNs: bigint; keptSpeakingMs: number }[];
  silences: { startNs: bigint; endNs: bigint }[];
  firstSoundMs: number | null;
  overlapMs: number;
  startNs: bigint; // start of the conversation
  agentSpeechDbfs: number | null;
  agentClippedSamples: number | null;
  saidTexts: string[];
};

export const isHeardSpan = ({ scopeName, name }: StoredSpan): boolean =>
  scopeName === SIMULATION_SCOPE && Object.values<string>(HEARD_SPANS).includes(name);

export function heardSoundOf(all: readonly StoredSpan[]): HeardSound | null {
  const spans = all.filter(({ scopeName }) => scopeName === SIMULATION_SCOPE);
  const root = spans.find(isRootOfCall);
  if (root === undefined) return null;
  const fact = (key: string) => numberOf(root.attributes[key]);
  const named = (name: string) => spans.filter((span) => span.name === name);
  const periods = (name: string) =>
    named(name).flatMap((span) =>
      span.endNs === null ? [] : [{ span, startNs: span.startNs, endNs: span.endNs, spanId: span.spanId }],
    );
  return {
    isAnalysed: flagOf(root.attributes["svc.heard.analysed"]) === true,
    isTimingReliable: flagOf(root.attributes["svc.call.timing_reliable"]) === true,
    isUnclear: flagOf(root.attributes["svc.heard.unclear"]) === true,
    frameGapMaxMs: fact("svc.call.frame_gap_max_ms"),
    speech: periods(HEARD_SPANS.speech).map(({ span, ...period }) => ({
      party: span.attributes["svc.heard.party"] === "caller" ? "caller" : "agent",
      ...period,
    })),
    answers: periods(HEARD_SPANS.answer).flatMap(({ span, startNs, endNs }) => {
      const responseMs = numberOf(span.attributes["svc.heard.response_ms"]);
      return responseMs === null ? [] : [{ atNs: responseMs < 0 ? startNs : endNs, responseMs }];
    }),
    interruptions: named(HEARD_SPANS.interruption).flatMap((span) => {
      const keptSpeakingMs = numberOf(span.attributes["svc.heard.kept_speaking_ms"]);
      return keptSpeakingMs === null ? [] : [{ atNs: span.startNs, keptSpeakingMs }];
    }),
    silences: periods(HEARD_SPANS.silence).map(({ startNs, endNs }) => ({ startNs, endNs })),
    firstSoundMs: fact("svc.heard.first_sound_ms"),
    overlapMs: fact("svc.heard.overlap_ms") ?? 0,
    startNs: root.startNs,
    agentSpeechDbfs: fact("svc.heard.agent.speech_dbfs"),
    agentClippedSamples: fact("svc.heard.agent.clipped_samples"),
    saidTexts: named(HEARD_SPANS.said)
      .toSorted((a, b) => (a.startNs < b.startNs ? -1 : 1))
      .flatMap((span) => textOf(span.attributes["svc.turn.text"]) ?? []),
  };
}
