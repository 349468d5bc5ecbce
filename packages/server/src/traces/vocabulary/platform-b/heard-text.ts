import type { SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { milliseconds, numberOf } from "../attribute-values.ts";
import { metricsOf } from "./call-metrics.ts";

/** Pace of speech, in characters per millisecond. */
type Pace = number;

/** Returns the pace of synthesised speech over all requests that were not canceled; null when there is no such request. */
export function paceOf(synthesisRequests: readonly SpanNode[]): Pace | null {
  let [characters, audioMs] = [0, 0];
  for (const request of synthesisRequests) {
    const metrics = metricsOf(request, "lk.tts_metrics");
    const [count, ms] = [
      metrics.count("characters_count", "charactersCount"),
      metrics.timeMs("audio_duration", "audioDurationMs"),
    ];
    if (metrics.flag("cancelled") === true || !count || ms === null) continue;
    characters += count;
    audioMs += ms;
  }
  return audioMs > 0 ? characters / audioMs : null;
}

/** Returns the milliseconds of audio that were played before the step was interrupted; null when the step does not report it. */
export function playedMs({ attributes }: StoredSpan): number | null {
  const seconds = numberOf(attributes["lk.playout.position"]);
  return seconds === 0 ? 0 : milliseconds(seconds, "seconds");
}

/**
 * Returns the total milliseconds of the audio spans; null when no span has ended. The span of interrupted audio ends at the interruption.
 */
export function lengthMs(audio: readonly StoredSpan[]): number | null {
  const lengths = audio.flatMap(({ startNs, endNs }) => (endNs === null || endNs < startNs ? [] : [endNs - startNs]));
  return lengths.length === 0 ? null : Number(lengths.reduce((a, b) => a + b)) / 1e6;
}

/** Returns the first words of the text, as many as can be said in `ms` at the pace. Leaves out an incomplete word. */
export function wordsWithin(text: string, ms: number, pace: Pace): string {
  const characters = Math.floor(ms * pace);
  if (characters >= text.length) return text;
  const upTo = text.slice(0, characters + 1);
  return upTo.slice(0, Math.max(0, upTo.search(/\s\S*$/))).trimEnd();
}
