import type { WantedArguments } from "./checks/check.ts";
import { readSuccess } from "./checks/grammar/success.ts";

/** Conditions by name of the tool: a call succeeds when its result meets the condition. */
export type SuccessConditions = ReadonlyMap<string, WantedArguments>;

const EXAMPLE = "Write conditions on members of the tool's result, like `verified = true and status = active`.";

/** Returns what to correct in a mock tool's success condition; undefined when the condition can be read. */
export function successProblem(condition: string): string | undefined {
  const read = readSuccess(condition);
  if (read === undefined) return `The condition of success cannot be read. ${EXAMPLE}`;
  return "problem" in read ? read.problem : undefined;
}

/** Returns the success conditions of the mock tools that have one. */
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
