import {
  EVERY_ITERATION,
  type Outcome,
  outcomeOfAll,
  outcomeOfIterations,
  readRequirement,
  type Requirement,
} from "@svc/contract/constants";
import type { Run } from "@svc/contract";
import { usage, VERDICT_EXIT } from "../refusal.ts";
import type { TestResult } from "./test-results.ts";

export const OUTCOME_WORDS: Record<Outcome, string> = { passed: "met", failed: "missed", undecided: "undecided" };

/** Parses a requirement such as `4/5` or `80%`. */
export function requirementOf(text: string | undefined): Requirement {
  if (text === undefined) return EVERY_ITERATION;
  const requirement = readRequirement(text);
  if (requirement !== undefined) return requirement;
  throw usage(`--require "${text}" is no share of iterations. Write it as 4/5 or 80%.`);
}

export const outcomeOfTest = ({ simulations, passed, failed }: TestResult, requirement: Requirement): Outcome =>
  outcomeOfIterations({ iterations: simulations.length, passed, failed }, requirement);

export function outcomeOfRun(run: Run, tests: readonly TestResult[], requirement: Requirement): Outcome {
  const outcome = outcomeOfAll(tests.map((test) => outcomeOfTest(test, requirement)));
  return outcome === "failed" || (run.status === "completed" && run.gradingSettled) ? outcome : "undecided";
}

export const exitCodeOf = (outcome: Outcome): number => VERDICT_EXIT[outcome];
