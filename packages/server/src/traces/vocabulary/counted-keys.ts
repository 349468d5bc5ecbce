import type { StoredSpan } from "../stored-span.ts";
import type { ReadingQuality } from "./vocabulary.ts";

/** The attributes whose key is looked for, most frequent first. */
export function countedKeys(
  spans: readonly StoredSpan[],
  isLookedFor: (key: string) => boolean,
): ReadingQuality["unmappedKeys"] {
  const counts = new Map<string, number>();
  for (const { attributes } of spans) {
    for (const key in attributes) if (isLookedFor(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}
