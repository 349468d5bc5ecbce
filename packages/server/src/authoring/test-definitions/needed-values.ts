import { readCallerScript } from "@svc/contract";
import type { WantedArguments } from "../../grading/checks/check.ts";
import { parseCheck } from "../../grading/checks/table.ts";
import { allWords, findWords } from "../../grading/words/find-words.ts";
import { wordsOf } from "../../grading/words/words.ts";

/**
 * Returns a value that an expected behavior needs, that the caller of the test says or knows, and that the caller of the other scenario
 * does not. Without this value, an agent without fault could not pass.
 */
export function lostValue(behaviors: readonly string[], test: string, other: string): string | undefined {
  const [before, after] = [saidIn(test), saidIn(other)];
  return behaviors.flatMap(neededIn).find((value) => has(before, value) && !has(after, value));
}

function neededIn(behavior: string): string[] {
  const check = parseCheck(behavior);
  if (check?.form === "calls" && check.least > 0) return valuesOf(check.arguments);
  return check?.form === "repeats_back" && !check.never ? [check.text] : [];
}

const valuesOf = (wanted: WantedArguments | null): string[] =>
  (wanted?.each ?? []).flatMap(({ wanted: value }) =>
    value.kind === "text" || value.kind === "bare" ? [value.text] : [],
  );

function saidIn(scenario: string): string {
  const { lines, facts } = readCallerScript(scenario);
  return [...lines.map(({ text }) => text ?? ""), ...facts.map(({ value }) => value)].join("\n");
}

function has(said: string, value: string): boolean {
  const [wanted, words] = [wordsOf(value), wordsOf(said)];
  return wanted.length > 0 && (allWords(wanted, words).length > 0 || findWords(wanted, words) !== undefined);
}
