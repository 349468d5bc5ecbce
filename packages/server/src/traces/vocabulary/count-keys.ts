import type { StoredSpan } from "../stored-span.ts";
import type { SpanQuality } from "./vocabulary.ts";

/** Returns the attribute keys that match, each with the number of spans that have it, most frequent first. */
export function countKeys(
  spans: readonly StoredSpan[],
  matches: (key: string) => boolean,
): SpanQuality["unmappedKeys"] {
  const counts = new Map<string, number>();
  for (const { attributes } of spans) {
    for (const key in attributes) if (matches(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}
