import type { StoredSpan } from "../stored-span.ts";
import type { ReadingQuality } from "./vocabulary.ts";

/** Whether what the span is of has failed; null while it goes on. */
export function hasFailed({ status, endNs, attributes }: StoredSpan): boolean | null {
  if (status === "error" || typeof attributes["error.type"] === "string") return true;
  return endNs === null ? null : false;
}

const FIRST_TOKEN = new Set(["First Token Stream Event", "llm.content.completion.chunk"]);

/** From the span's start to the event of the first token. */
export function firstTokenEventMs({ startNs, events }: StoredSpan): number | null {
  const times = events.flatMap(({ name, timeNs }) => (FIRST_TOKEN.has(name) && timeNs > startNs ? timeNs : []));
  if (times.length === 0) return null;
  return Number(times.reduce((a, b) => (b < a ? b : a)) - startNs) / 1e6;
}

/** What the spans' SDK is written in. */
export function languageOf(spans: readonly StoredSpan[]): ReadingQuality["language"] {
  for (const { resource } of spans) {
    const declared = resource["telemetry.sdk.language"];
    if (declared === "python") return "python";
    if (declared === "nodejs" || declared === "webjs") return "javascript";
  }
  return null;
}
