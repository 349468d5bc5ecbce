import { isDeepStrictEqual } from "node:util";
import { counted } from "../terminal/output.ts";
import type { TestDocument } from "./test-file.ts";

type TestContent = Pick<TestDocument, "name" | "scenario" | "expected_behaviors" | "personas" | "mock_tools">;

/** Removes differences that editors make: the kind of line ends, and white space at the ends of lines and of the text. */
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

export const isSameContent = (a: TestContent, b: TestContent): boolean =>
  isDeepStrictEqual(canonicalOf(a), canonicalOf(b));

/** `- ` marks old text and `+ ` marks new text. */
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

/** Returns whether a push of the file would leave the tags of the test unchanged. */
export const hasTagsOf = (file: Pick<TestDocument, "tags">, tags: readonly string[]): boolean =>
  file.tags === undefined || isDeepStrictEqual([...new Set(file.tags)].sort(), [...tags].sort());

export const tagChanges = (before: readonly string[], after: readonly string[]): string[] =>
  changesIn("tags", [...before].sort(), [...new Set(after)].sort());

function changesIn(title: string, before: string[], after: string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const removed = without(before, after).map((line) => `  - ${line}`);
  const added = without(after, before).map((line) => `  + ${line}`);
  const lines = [...removed, ...added];
  return [`${title}:`, ...(lines.length > 0 ? lines : [`  ${counted(after.length, "line")} in another order`])];
}

/** A line that occurs more often in `all` than in `others` is returned too. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const unmatched = new Map<string, number>();
  for (const line of others) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
  return all.filter((line) => {
    const count = unmatched.get(line) ?? 0;
    if (count > 0) unmatched.set(line, count - 1);
    return count === 0 && line.trim() !== "";
  });
}
