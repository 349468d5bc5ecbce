import type { StoredSpan } from "../../stored-span.ts";
import { milliseconds } from "../attribute-values.ts";

/**
 * Returns the milliseconds from the end of the speech to the final transcript, at which the span ends. Returns null when the span starts
 * only after the speech, as in versions up to 0.0.95.
 */
export function transcriptionDelayMs(stt: StoredSpan): number | null {
  const delayMs = milliseconds(stt.attributes["metrics.ttfb"], "seconds");
  if (delayMs === null || stt.endNs === null) return null;
  return Number(stt.endNs - stt.startNs) / 1e6 > delayMs ? delayMs : null;
}

/** Returns the end of the user's speech; null when the span starts only after the speech. */
export function speechEndNs(stt: StoredSpan): bigint | null {
  const delayMs = transcriptionDelayMs(stt);
  return delayMs === null ? null : stt.endNs! - BigInt(Math.round(delayMs * 1e6));
}
