import type { StoredTest } from "./test-content.ts";

/** Returns the tests with every word of the search in their name, scenario or behaviors, ignoring case. */
export function matchingTests<T extends Pick<StoredTest, "name" | "scenario" | "expected_behaviors">>(
  tests: readonly T[],
  search: string,
): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tests.filter(({ name, scenario, expected_behaviors }) => {
    const text = [name, scenario, ...expected_behaviors].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
