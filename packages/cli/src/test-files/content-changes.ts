import { isDeepStrictEqual } from "node:util";
import { counted } from "../output.ts";
import type { TestFile } from "./test-file.ts";

type Content = Omit<TestFile, "id" | "version_id">;

/** Line ends and spaces before them, which editors change, are no difference. */
const canonical = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

const canonicalOf = ({ name, scenario, expected_behaviors, personas, mock_tools }: Content) => ({
  name: name.trim(),
  scenario: canonical(scenario),
  expected_behaviors: expected_behaviors.map(canonical),
  personas: personas.map((persona) => persona.trim()),
  mock_tools: JSON.parse(JSON.stringify(mock_tools)) as unknown,
});

export const isSameContent = (a: Content, b: Content): boolean => isDeepStrictEqual(canonicalOf(a), canonicalOf(b));

/** What differs, each on a line: `- ` was before, `+ ` is now. */
export function changesBetween(before: Content, after: Content): string[] {
  const [a, b] = [canonicalOf(before), canonicalOf(after)];
  const json = (value: unknown) => (value as unknown[]).map((item) => JSON.stringify(item));
  return [
    ...part("name", [a.name], [b.name]),
    ...part("scenario", a.scenario.split("\n"), b.scenario.split("\n")),
    ...part("expected behaviors", a.expected_behaviors, b.expected_behaviors),
    ...part("personas", a.personas, b.personas),
    ...part("mock tools", json(a.mock_tools), json(b.mock_tools)),
  ];
}

function part(title: string, before: string[], after: string[]): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const gone = without(before, after).map((line) => `  - ${line}`);
  const come = without(after, before).map((line) => `  + ${line}`);
  const lines = [...gone, ...come];
  return [`${title}:`, ...(lines.length > 0 ? lines : [`  ${counted(after.length, "line")} in another order`])];
}

/** The lines of `all` that `others` has not, each as often as it has more of them. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return all.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0 && line.trim() !== "";
  });
}
