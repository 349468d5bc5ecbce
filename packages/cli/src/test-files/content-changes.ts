import { isDeepStrictEqual } from "node:util";
import { counted } from "../terminal/output.ts";
import type { TestDocument } from "./test-file.ts";

type TestContent = Pick<TestDocument, "name" | "scenario" | "expected_behaviors" | "personas" | "mock_tools">;

/** Removes differences that editors make: line ends, and spaces before them. */
const canonical = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

const canonicalOf = ({ name, scenario, expected_behaviors, personas, mock_tools }: TestContent) => ({
  name: name.trim(),
  scenario: canonical(scenario),
  expected_behaviors: expected_behaviors.map(canonical),
  personas: personas.map((persona) => persona.trim()),
  mock_tools: JSON.parse(JSON.stringify(mock_tools.map((mock) => ({ delay_ms: 0, ...mock })))) as unknown,
});

/** Returns whether two contents are the same, apart from white space at line ends. */
export const isSameContent = (a: TestContent, b: TestContent): boolean =>
  isDeepStrictEqual(canonicalOf(a), canonicalOf(b));

/** Returns the differences, one per line. `- ` marks old text and `+ ` new text. */
export function changesBetween(before: TestContent, after: TestContent): string[] {
  const [a, b] = [canonicalOf(before), canonicalOf(after)];
  const json = (value: unknown) => (value as unknown[]).map((item) => JSON.stringify(item));
  return [
    ...changesIn("name", [a.name], [b.name]),
    ...changesIn("scenario", a.scenario.split("\n"), b.scenario.split("\n")),
    ...changesIn("expected behaviors", a.expected_behaviors, b.expected_behaviors),
    ...changesIn("personas", a.personas, b.personas),
    ...changesIn("mock tools", json(a.mock_tools), json(b.mock_tools)),
  ];
}

/** Returns whether a file's tags are those of a test. A file without tags does not change the test's tags. */
export const hasTagsOf = (file: Pick<TestDocument, "tags">, tags: readonly string[]): boolean =>
  file.tags === undefined || isDeepStrictEqual([...new Set(file.tags)].sort(), [...tags].sort());

/** Returns the differences of tags in the form of `changesBetween`. */
export const tagChanges = (before: readonly string[], after: readonly string[]): string[] =>
  changesIn("tags", [...before].sort(), [...new Set(after)].sort());

function changesIn(title: string, before: string[], after: string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const removed = without(before, after).map((line) => `  - ${line}`);
  const added = without(after, before).map((line) => `  + ${line}`);
  const lines = [...removed, ...added];
  return [`${title}:`, ...(lines.length > 0 ? lines : [`  ${counted(after.length, "line")} in another order`])];
}

/** Returns the lines of `all` that `others` does not contain. Repeated lines are counted. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const unmatched = new Map<string, number>();
  for (const line of others) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
  return all.filter((line) => {
    const count = unmatched.get(line) ?? 0;
    if (count > 0) unmatched.set(line, count - 1);
    return count === 0 && line.trim() !== "";
  });
}
