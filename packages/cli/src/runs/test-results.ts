import type { ListedSimulation } from "@svc/contract";
import type { RunResult } from "./result.ts";

/** Result of one test with one persona in a run. */
export type TestResult = {
  /** The title of the result, which is unique within the run. */
  title: string;
  simulations: ListedSimulation[];
  passed: number;
  failed: number;
  undecided: number;
  /** Iterations without a verdict, because of an error of the service or the network. */
  errored: number;
  /** Iterations that were canceled or are still running. */
  unfinished: number;
};

export function testResults({ simulations }: RunResult): TestResult[] {
  const groups = Map.groupBy(simulations, ({ testVersionId, personaId }) => `${testVersionId} ${personaId}`);
  const titles = titlesOf(simulations);
  return [...groups.values()].map((all) => resultOf(titles.get(all[0]!)!, all));
}

/** For a test with several iterations, the title contains the iteration's number. */
export const eachSimulation = (result: RunResult): TestResult[] =>
  testResults(result).flatMap(({ title, simulations }) =>
    simulations.length === 1
      ? [resultOf(title, simulations)]
      : simulations.map((one) => resultOf(`${title} · #${one.iteration}`, [one])),
  );

function resultOf(title: string, simulations: ListedSimulation[]): TestResult {
  const count = (...verdicts: ListedSimulation["verdict"][]) =>
    simulations.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return {
    title,
    simulations,
    passed: count("passed"),
    failed: count("failed"),
    undecided: count("inconclusive", "not_graded"),
    errored: count("errored"),
    unfinished: count(null),
  };
}

/** For a test with several versions or personas, adds the version or the persona. */
function titlesOf(simulations: readonly ListedSimulation[]): Map<ListedSimulation, string> {
  const several = (all: readonly ListedSimulation[], of: (one: ListedSimulation) => string) =>
    new Set(all.map(of)).size > 1;
  const titles = new Map<ListedSimulation, string>();
  for (const all of Map.groupBy(simulations, ({ testId }) => testId).values()) {
    const personas = several(all, ({ personaId }) => personaId);
    const versions = several(all, ({ testVersionId }) => testVersionId);
    for (const one of all) {
      const parts = [one.testName];
      if (versions) parts.push(one.testVersionId);
      if (personas) parts.push(one.personaName);
      titles.set(one, parts.join(" · "));
    }
  }
  return titles;
}

/** Estimated probability that `k` iterations of a test all pass, as a mean over the tests. */
export type PassPower = { k: number; share: number };

const POWERS = [1, 2, 3, 5, 10, 20, 50, 100];

/**
 * pass^k of one test is the share of all ways to choose k of its iterations in which all k passed. The result is the mean over the
 * tests, for several k up to the smallest number of iterations of a test. Ignores iterations with the verdict `errored`.
 */
export function passPowers(tests: readonly TestResult[]): PassPower[] {
  const samples = tests
    .map(({ passed, failed, undecided }) => ({ passed, count: passed + failed + undecided }))
    .filter(({ count }) => count > 0);
  const most = Math.min(...samples.map(({ count }) => count));
  if (samples.length === 0 || most < 2) return [];
  const powers = [...new Set([...POWERS.filter((k) => k <= most), most])];
  return powers.map((k) => ({
    k,
    share: samples.reduce((sum, { passed, count }) => sum + allPass(passed, count, k), 0) / samples.length,
  }));
}

function allPass(passed: number, count: number, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, passed - i) / (count - i);
  return share;
}
