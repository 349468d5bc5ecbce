import type { SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { milliseconds, numberOf } from "../attribute-values.ts";
import { metricsOf } from "./call-metrics.ts";

/** Characters per millisecond. */
type Pace = number;

/** Returns the pace of synthesised speech, from the requests that were not canceled; null if there are none. */
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

/** Returns how much audio had been played when the step was interrupted, in milliseconds; null if the step does not say. */
export function playedMs({ attributes }: StoredSpan): number | null {
  const seconds = numberOf(attributes["lk.playout.position"]);
  return seconds === 0 ? 0 : milliseconds(seconds, "seconds");
}

/** Returns the total length of the audio spans; an interrupted span ends with the audio. Returns null if no span has ended. */
export function lengthMs(audio: readonly StoredSpan[]): number | null {
  const lengths = audio.flatMap(({ startNs, endNs }) => (endNs === null || endNs < startNs ? [] : [endNs - startNs]));
  return lengths.length === 0 ? null : Number(lengths.reduce((a, b) => a + b)) / 1e6;
}

/** Returns the words that can be said in the time at the pace. An incomplete word is left out. */
export function wordsWithin(text: string, ms: number, pace: Pace): string {
  const characters = Math.floor(ms * pace);
  if (characters >= text.length) return text;
  const upTo = text.slice(0, characters + 1);
  return upTo.slice(0, Math.max(0, upTo.search(/\s\S*$/))).trimEnd();
}
