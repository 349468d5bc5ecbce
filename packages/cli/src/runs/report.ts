import type { ListedSimulation } from "@svc/contract";
import { noticesOfRun } from "./notices.ts";
import { EVERY_ITERATION, type Outcome, type Requirement } from "@svc/contract/constants";
import { outcomeOfRun, outcomeOfTest } from "./requirement.ts";
import type { RunResult } from "./result.ts";
import { type PassPower, passPowers, testResults } from "./test-results.ts";

export type RunReport = RunResult & {
  outcome: Outcome;
  /** Value of `--require`; null when every iteration must pass. */
  requirement: string | null;
  /** Notes of the run, and the causes of undecided behaviors and errors with their remedies. */
  notices: string[];
  /** Result of each pair of test and persona. */
  tests: TestReport[];
  passPowers: PassPower[];
};

type TestReport = Pick<ListedSimulation, "testId" | "testVersionId" | "testName" | "personaName"> & {
  outcome: Outcome;
  iterations: number;
  passed: number;
  failed: number;
  undecided: number;
  errored: number;
  unfinished: number;
  simulationIds: string[];
};

export function reportOf(result: RunResult, requirement: Requirement): RunReport {
  const tests = testResults(result);
  return {
    ...result,
    outcome: outcomeOfRun(result.run, tests, requirement),
    requirement: requirement === EVERY_ITERATION ? null : requirement.text,
    notices: noticesOfRun(result),
    tests: tests.map((test) => {
      const { title: _, simulations, ...counts } = test;
      const { testId, testVersionId, testName, personaName } = simulations[0]!;
      const outcome = outcomeOfTest(test, requirement);
      const simulationIds = simulations.map(({ id }) => id);
      const iterations = simulations.length;
      return { testId, testVersionId, testName, personaName, outcome, iterations, ...counts, simulationIds };
    }),
    passPowers: passPowers(tests),
  };
}
