import type { SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { milliseconds, numberOf } from "../attribute-values.ts";
import { metricsOf } from "./call-metrics.ts";

/** Pace of speech, in characters per millisecond. */
type Pace = number;

/** Returns the pace of the synthesis requests that were not canceled. */
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

export function playedMs({ attributes }: StoredSpan): number | null {
  const seconds = numberOf(attributes["lk.playout.position"]);
  return seconds === 0 ? 0 : milliseconds(seconds, "seconds");
}

/** Returns the length of the played audio. The span of interrupted audio ends at the interruption. */
export function lengthMs(audio: readonly StoredSpan[]): number | null {
  const lengths = audio.flatMap(({ startNs, endNs }) => (endNs === null || endNs < startNs ? [] : [endNs - startNs]));
  return lengths.length === 0 ? null : Number(lengths.reduce((a, b) => a + b)) / 1e6;
}

/** Returns the words that are spoken within the time, without an incomplete word. */
export function wordsWithin(text: string, ms: number, pace: Pace): string {
  const characters = Math.floor(ms * pace);
  if (characters >= text.length) return text;
  const upTo = text.slice(0, characters + 1);
  return upTo.slice(0, Math.max(0, upTo.search(/\s\S*$/))).trimEnd();
}
