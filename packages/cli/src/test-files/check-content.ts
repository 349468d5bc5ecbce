import { issueText, LIMITS, operations } from "@svc/contract";
import { readRequirement } from "@svc/contract/constants";
import type { FileProblem, TestFile } from "./folder.ts";
import { lineOf } from "./test-file.ts";

/** Returns the problems of tests that can be found without a request to the service. */
export function contentProblems(files: readonly TestFile[]): FileProblem[] {
  return files.flatMap((file) => {
    const { name, suite, tags, scenario, expected_behaviors, personas, mock_tools } = file.test;
    const content = { name, suite, tags, scenario, expected_behaviors, personas, mock_tools };
    const { error } = operations.tests.import.body.safeParse({ tests: [content] }, { error: issueText });
    const issues = (error?.issues ?? []).map(({ path, message }) => problemAt(file, path.slice(2), message));
    return [...issues, ...runProblems(file)];
  });
}

export function problemAt({ path, text }: TestFile, member: readonly PropertyKey[], message: string): FileProblem {
  return { path, line: lineIn(text, member, message), fault: `${wordsOf(member)}: ${message}` };
}

/** Returns the problems of the members that only runs use. */
function runProblems(file: TestFile): FileProblem[] {
  const { agent, iterations, require } = file.test as Record<string, unknown>;
  const problems: FileProblem[] = [];
  if (agent !== undefined && (typeof agent !== "string" || agent.trim() === ""))
    problems.push(problemAt(file, ["agent"], "Write the name of an agent."));
  const most = LIMITS.runIterations;
  if (
    iterations !== undefined &&
    !(Number.isInteger(iterations) && Number(iterations) >= 1 && Number(iterations) <= most)
  )
    problems.push(problemAt(file, ["iterations"], `Write a whole number from 1 to ${most}.`));
  if (require !== undefined && !(typeof require === "string" && readRequirement(require) !== undefined))
    problems.push(problemAt(file, ["require"], "Write the share of the iterations that must pass, as 4/5 or 80%."));
  return problems;
}

/** When the message quotes a line of the scenario, returns the number of the quoted line. */
function lineIn(text: string, member: readonly PropertyKey[], message: string): number {
  const line = lineOf(text, member);
  const [, quoted] = /`([^`]+)`/.exec(message) ?? [];
  if (member[0] !== "scenario" || quoted === undefined) return line;
  const words = quoted.replace(/…$/, "").trim();
  const at = text.split(/\r?\n/).findIndex((one, index) => index >= line && one.includes(words));
  return at === -1 ? line : at + 1;
}

/** Examples: `behavior 2`, `mock tool 1, succeeds_when`, `persona 3`, `tags`. */
function wordsOf([member, index, ...within]: readonly PropertyKey[]): string {
  const one = ONE_OF[String(member)];
  if (one === undefined || typeof index !== "number")
    return [member, index, ...within].filter((part) => part !== undefined).join(".");
  return [`${one} ${index + 1}`, ...within.map(String)].join(", ");
}

const ONE_OF: Record<string, string> = {
  expected_behaviors: "behavior",
  personas: "persona",
  mock_tools: "mock tool",
  tags: "tag",
};
