import type { StoredSpan } from "../stored-span.ts";
import type { SpanQuality } from "./vocabulary.ts";

const KEYS_REMEMBERED = 10_000;

/** Returns a test that remembers its answers, because senders use the same few keys again and again. */
export function remembered(test: (key: string) => boolean): (key: string) => boolean {
  const answers = new Map<string, boolean>();
  return (key) => {
    let answer = answers.get(key);
    if (answer === undefined) {
      answer = test(key);
      if (answers.size >= KEYS_REMEMBERED) answers.clear();
      answers.set(key, answer);
    }
    return answer;
  };
}

/** Counts the spans that have each matching key. Returns the most frequent key first. */
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
