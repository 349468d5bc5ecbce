import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { RunComparison } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import {
  type ComparedTest,
  computeComparison,
  type RatedRun,
  type SimulationResult,
} from "../../grading/statistics/compare.ts";
import {
  conditionsSentence,
  latencySentence,
  notesOf,
  passingSentence,
} from "../../grading/statistics/compare-words.ts";
import { FLAKY_RUNS_MAX, isFlaky } from "../../grading/statistics/pass-rates.ts";
import { median } from "../../grading/statistics/statistics.ts";
import { inSlices } from "../../base/async/in-slices.ts";
import { responseTimesOf, type Transcript } from "../play/transcript.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";
import { tallyOfCounts } from "../verdict-counts.ts";
import { addConditions, conditionsOf, differencesOf, type RunConditions } from "./run-differences.ts";

const ROWS_AT_ONCE = 50;

type Result = SimulationResult & Pick<SimulationRow, "id" | "persona_name">;

/** Compares two runs of the database. Throws `conflict` when the grading of a simulation is not complete. */
export async function compareStoredRuns(
  store: RunStore,
  first: RunRow,
  second: RunRow,
  agentNames: ReadonlyMap<string, string>,
): Promise<RunComparison> {
  const [before, after] = [await resultsOf(store, first), await resultsOf(store, second)];
  const comparison = await inSlices(computeComparison(before.results, after.results));
  const { passingDiffers, latencyDiffers, latency, passing, difference, pairs, unpaired, decided } = comparison;
  const differences = differencesOf(before.conditions, after.conditions);
  const agents =
    first.agent_id === second.agent_id
      ? null
      : { first: agentNames.get(first.agent_id)!, second: agentNames.get(second.agent_id)! };
  // Only simulations of the same test version are compared, so tests that changed do not explain a difference.
  const [changedTests, others] = [
    differences.filter(({ kind }) => kind === "tests"),
    differences.filter(({ kind }) => kind !== "tests"),
  ];
  const conditions = conditionsSentence(others, passingDiffers, agents);
  const passingWords = passingSentence(comparison);
  const latencyWords = latencySentence(latency, latencyDiffers);
  const isBlocked = others.length > 0;
  const tests = await withFlaky(store, second, comparison.tests);
  return {
    firstRunId: first.id,
    secondRunId: second.id,
    firstAgentId: first.agent_id,
    secondAgentId: second.agent_id,
    agents,
    differences,
    attributableToAgent: passingDiffers && !isBlocked,
    passingDiffers,
    passingSentence: passingWords,
    latencyDiffers,
    latencySentence: latencyWords,
    words: [
      ...(isBlocked ? [conditions] : []),
      passingWords,
      latencyWords,
      ...(isBlocked ? [] : [conditions]),
      ...notesOf(comparison, changedTests[0]),
    ],
    first: presentRated(comparison.first),
    second: presentRated(comparison.second),
    passRateDifference:
      comparison.first.passRate === null || comparison.second.passRate === null
        ? null
        : {
            value: comparison.second.passRate - comparison.first.passRate,
            low: difference?.low ?? null,
            high: difference?.high ?? null,
          },
    p: passing.p,
    undecided: comparison.undecided,
    tests,
    brokenTests: tests.filter(({ change }) => change === "broken").map(nameOf),
    mendedTests: tests.filter(({ change }) => change === "mended").map(nameOf),
    flakyTests: tests.filter(({ flaky }) => flaky).map(nameOf),
    pairs,
    unpaired,
    decided,
    regressed: comparison.regressed.map(presentFlip),
    mended: comparison.mended.map(presentFlip),
    latency,
    distinguishable: passingDiffers || latencyDiffers,
  };
}

/** Reads the results of a run in pages. Other work can run between the pages, because transcripts can be long. */
async function resultsOf(store: RunStore, run: RunRow): Promise<{ results: Result[]; conditions: RunConditions }> {
  const results: Result[] = [];
  const conditions = conditionsOf(run);
  for (let before: string | undefined; ;) {
    const { items, next } = await store.listSimulationsWithTranscripts(run.id, { limit: ROWS_AT_ONCE, before });
    if (items.some(({ grading }) => grading !== "settled"))
      throw new AppError("conflict", `The run ${run.id} is still under way; compare when every verdict is given.`);
    const grades = await store.gradesOf(items);
    for (const row of items) addConditions(conditions, row, grades.get(row.id) ?? []);
    results.push(...items.filter(({ status }) => status !== "canceled").map(resultOf));
    if (next === null) return { results, conditions };
    before = next;
    await yieldToOthers();
  }
}

const resultOf = (row: SimulationRow): Result => ({
  id: row.id,
  persona_name: row.persona_name,
  testId: row.test_id,
  testName: row.test_name,
  testVersionId: row.test_version_id,
  persona: row.persona_id,
  iteration: row.iteration,
  verdict: row.verdict ?? "not_graded",
  latencyMs: latencyOf(row.transcript),
});

function latencyOf(transcript: string | null): number | null {
  if (transcript === null) return null;
  const { turns }: Transcript = JSON.parse(transcript);
  const times = [...responseTimesOf(turns).values()];
  return times.length === 0 ? null : median(times);
}

const ORDER = { broken: 0, mended: 1, none: 2 } as const;

/** Marks the flaky tests, and sorts the tests: first the broken tests, then the mended tests, the flaky tests and all other tests. */
async function withFlaky(
  store: RunStore,
  run: RunRow,
  tests: readonly ComparedTest[],
): Promise<RunComparison["tests"]> {
  const marked: RunComparison["tests"] = [];
  for (const test of tests) {
    await yieldToOthers();
    const runs = await store.listLastRuns(run, test, FLAKY_RUNS_MAX);
    const tallies = runs.map(({ verdicts }) => tallyOfCounts(verdicts));
    marked.push({ ...test, flaky: test.change === "none" && isFlaky(tallies), recentRuns: runs.length });
  }
  const rank = ({ change, flaky }: RunComparison["tests"][number]) => ORDER[change] * 2 - Number(flaky);
  return marked.sort((one, other) => rank(one) - rank(other));
}

const nameOf = ({ testId, testVersionId, testName }: ComparedTest) => ({ testId, testVersionId, testName });

const presentRated = ({ tests: testCount, interval, ...rated }: RatedRun): RunComparison["first"] => ({
  ...rated,
  testCount,
  passRateLow: interval && interval.low,
  passRateHigh: interval && interval.high,
});

const presentFlip = ({ before, after }: { before: Result; after: Result }): RunComparison["regressed"][number] => ({
  testId: after.testId,
  testVersionId: after.testVersionId,
  testName: after.testName,
  personaName: after.persona_name,
  iteration: after.iteration,
  firstSimulationId: before.id,
  secondSimulationId: after.id,
  firstVerdict: before.verdict,
  secondVerdict: after.verdict,
});
