import type { Run } from "@svc/contract";
import { usage, VERDICT_EXIT } from "../refusal.ts";
import type { TestResult } from "./test-results.ts";

/** The share of a test's iterations that must pass; `text` is the form in which a person wrote it. */
export type Requirement = { text: string; passed: number; of: number };

export type Outcome = "passed" | "failed" | "undecided";

/** Says whether a test meets its requirement. */
export const OUTCOME_WORDS: Record<Outcome, string> = { passed: "met", failed: "missed", undecided: "undecided" };

/** Without `--require`, every iteration must pass. */
export const EVERY_ITERATION: Requirement = { text: "all", passed: 1, of: 1 };

/** Returns the requirement in `4/5` or `80%`; refuses any other text. */
export function requirementOf(text: string | undefined): Requirement {
  if (text === undefined) return EVERY_ITERATION;
  const requirement = readShare(text);
  if (requirement !== undefined) return requirement;
  throw usage(`--require "${text}" is no share of iterations. Write it as 4/5 or 80%.`);
}

/** Returns whether the text is a share of iterations, as 4/5 or 80%. */
export const isShare = (text: string): boolean => readShare(text) !== undefined;

function readShare(text: string): Requirement | undefined {
  const [, passed, of] = /^\s*(\d+)\s*\/\s*(\d+)\s*$/.exec(text) ?? [];
  const [, percent] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text) ?? [];
  const requirement = {
    text: text.trim(),
    passed: Number(passed ?? percent),
    of: passed === undefined ? 100 : Number(of),
  };
  return requirement.passed > 0 && requirement.passed <= requirement.of ? requirement : undefined;
}

/**
 * Returns whether enough iterations of the test passed. An iteration without a decision counts as not passed; the outcome is
 * `undecided` when its decision could still meet the requirement.
 */
export function outcomeOfTest({ simulations, passed, failed }: TestResult, requirement: Requirement): Outcome {
  const needed = Math.ceil((requirement.passed * simulations.length) / requirement.of - 1e-9);
  if (passed >= needed) return "passed";
  return simulations.length - failed >= needed ? "undecided" : "failed";
}

/** Returns the outcome of a run: failed when one test failed, and passed when the run was completed and every test passed. */
export function outcomeOfRun(run: Run, tests: readonly TestResult[], requirement: Requirement): Outcome {
  const outcomes = tests.map((test) => outcomeOfTest(test, requirement));
  if (outcomes.includes("failed")) return "failed";
  const isWhole = run.status === "completed" && run.gradingSettled && tests.length > 0;
  return isWhole && outcomes.every((outcome) => outcome === "passed") ? "passed" : "undecided";
}

/** Returns the exit code of an outcome. */
export const exitCodeOf = (outcome: Outcome): number => VERDICT_EXIT[outcome];
