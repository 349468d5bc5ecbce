import {
  EVERY_ITERATION,
  type IterationCounts,
  LIMITS,
  type Outcome,
  outcomeOfAll,
  outcomeOfIterations,
  readRequirement,
  type Schedule,
  type ScheduledRun,
} from "@svc/contract";
import type { RunRow } from "./rules.ts";

export type PlayedTest = IterationCounts & { testId: string; testName: string };

/** A run with the results of its tests. `isSettled` is true when the run has ended and all its simulations are graded. */
export type PlayedRun = { run: RunRow; isSettled: boolean; tests: readonly PlayedTest[] };

type TestOutcome = { testId: string; testName: string; outcome: Outcome };

/**
 * Returns the outcome of each test of a run. The run's requirement decides how many iterations must pass; without a requirement, all must
 * pass.
 */
export function testOutcomesOf({ run, tests }: PlayedRun): TestOutcome[] {
  const requirement = (run.required === null ? undefined : readRequirement(run.required)) ?? EVERY_ITERATION;
  return [...Map.groupBy(tests, ({ testId }) => testId).values()].map((all) => ({
    testId: all[0]!.testId,
    testName: all[0]!.testName,
    outcome: outcomeOfAll(all.map((test) => outcomeOfIterations(test, requirement))),
  }));
}

export function outcomeOfRun(played: PlayedRun, tests = testOutcomesOf(played)): Outcome | null {
  if (!played.isSettled) return null;
  const outcome = outcomeOfAll(tests.map((test) => test.outcome));
  return outcome === "passed" && played.run.status !== "completed" ? "undecided" : outcome;
}

export type RunChanges = {
  played: PlayedRun;
  outcome: Outcome | null;
  tests: readonly TestOutcome[];
  broken: readonly TestOutcome[];
  mended: readonly TestOutcome[];
  lastGoodRunId: string | null;
};

/** Number of earlier runs in which the last good run and the last decided outcome of each test are searched. */
export const RUNS_BEFORE = 50;

export function changesOf(newestFirst: readonly PlayedRun[]): RunChanges[] {
  const decided = new Map<string, Outcome>();
  let lastGoodRunId: string | null = null;
  const changes = newestFirst.toReversed().map((played): RunChanges => {
    const tests = testOutcomesOf(played);
    const outcome = outcomeOfRun(played, tests);
    const before = lastGoodRunId;
    if (outcome === null) return { played, outcome, tests, broken: [], mended: [], lastGoodRunId: before };
    const turned = (from: Outcome, to: Outcome) =>
      tests.filter((test) => test.outcome === to && decided.get(test.testId) === from);
    const [broken, mended] = [turned("passed", "failed"), turned("failed", "passed")];
    for (const test of tests) if (test.outcome !== "undecided") decided.set(test.testId, test.outcome);
    if (outcome === "passed") lastGoodRunId = played.run.id;
    return { played, outcome, tests, broken, mended, lastGoodRunId: before };
  });
  return changes.reverse();
}

export const presentRunOfSchedule = (
  { run }: PlayedRun,
  outcome: RunChanges["outcome"],
): Schedule["lastRuns"][number] => ({
  runId: run.id,
  status: run.status,
  outcome,
  scheduledFor: run.due_ms === null ? null : new Date(run.due_ms).toISOString(),
  createdAt: run.created_at,
  endedAt: run.ended_at,
});

export function presentScheduledRun({
  played,
  outcome,
  tests,
  broken,
  mended,
  lastGoodRunId,
}: RunChanges): ScheduledRun {
  const count = (wanted: string) => tests.filter((test) => test.outcome === wanted).length;
  const named = (some: typeof tests) =>
    some.slice(0, LIMITS.testsNamed).map(({ testId, testName }) => ({ testId, testName }));
  return {
    ...presentRunOfSchedule(played, outcome),
    passedTests: count("passed"),
    failedTests: count("failed"),
    undecidedTests: count("undecided"),
    brokenCount: broken.length,
    brokenTests: named(broken),
    mendedCount: mended.length,
    mendedTests: named(mended),
    lastGoodRunId,
  };
}
