import type { StoredSpan } from "../../stored-span.ts";
import { milliseconds } from "../attribute-values.ts";

/** From the end of the speech to its final transcript, which ends the span; null where the span began only then, as up to 0.0.95. */
export function transcriptionDelayMs(stt: StoredSpan): number | null {
  const delayMs = milliseconds(stt.attributes["metrics.ttfb"], "seconds");
  if (delayMs === null || stt.endNs === null) return null;
  return Number(stt.endNs - stt.startNs) / 1e6 > delayMs ? delayMs : null;
}

/** When the user stopped to speak; the span begins when the speech did. */
export function speechEndNs(stt: StoredSpan): bigint | null {
  const delayMs = transcriptionDelayMs(stt);
  return delayMs === null ? null : stt.endNs! - BigInt(Math.round(delayMs * 1e6));
}
