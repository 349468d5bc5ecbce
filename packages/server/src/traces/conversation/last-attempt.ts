import { ATTEMPT_KEY } from "./identity-keys.ts";
import type { StoredSpan } from "../stored-span.ts";

/**
 * Returns the spans of the last attempt at a simulation, and the number of the other attempts' spans. The service plays a
 * simulation again after a stall or a stop, and an agent's process may send spans of its earlier attempt too. Spans that
 * name no attempt count as spans of the last one.
 */
export function lastAttemptOf(spans: readonly StoredSpan[]): { last: readonly StoredSpan[]; earlierSpans: number } {
  let newest = 0;
  let oldest = Infinity;
  for (const span of spans) {
    const attempt = attemptOf(span);
    newest = Math.max(newest, attempt ?? newest);
    oldest = Math.min(oldest, attempt ?? oldest);
  }
  if (oldest >= newest) return { last: spans, earlierSpans: 0 };
  const last = spans.filter((span) => (attemptOf(span) ?? newest) === newest);
  return { last, earlierSpans: spans.length - last.length };
}

function attemptOf({ attributes, resource }: StoredSpan): number | undefined {
  const value = attributes[ATTEMPT_KEY] ?? resource[ATTEMPT_KEY];
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const attempt = Number(value);
  return Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined;
}
