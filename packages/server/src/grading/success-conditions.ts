import type { WantedArguments } from "./checks/check.ts";
import { readSuccess } from "./checks/grammar/success.ts";

/** Success conditions by the name of the tool. A call succeeds if its result meets the condition. */
export type SuccessConditions = ReadonlyMap<string, WantedArguments>;

const EXAMPLE = "Write conditions on members of the tool's result, like `verified = true and status = active`.";

export function successProblem(condition: string): string | undefined {
  const read = readSuccess(condition);
  if (read === undefined) return `The condition of success cannot be read. ${EXAMPLE}`;
  return "problem" in read ? read.problem : undefined;
}

/** Reads the success conditions of mock tools. Leaves out conditions with a syntax error. */
export function successConditions(
  mocks: Iterable<{ tool: string; succeedsWhen?: string | undefined }>,
): SuccessConditions {
  const conditions = new Map<string, WantedArguments>();
  for (const { tool, succeedsWhen } of mocks) {
    const read = succeedsWhen === undefined ? undefined : readSuccess(succeedsWhen);
    if (read !== undefined && !("problem" in read)) conditions.set(tool, read);
  }
  return conditions;
}
