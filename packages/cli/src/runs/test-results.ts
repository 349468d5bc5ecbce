import type { ListedSimulation } from "@svc/contract";
import type { RunResult } from "./result.ts";

/** One test with one persona in a run: its iterations, with the number of each verdict. */
export type TestResult = {
  /** Unique in its run. */
  title: string;
  simulations: ListedSimulation[];
  passed: number;
  failed: number;
  undecided: number;
  /** Iterations that an error of the service or of the network spoiled. */
  errored: number;
  /** Canceled iterations, and iterations that still run. */
  unfinished: number;
};

/** Returns a result for each pair of test and persona, in the order of the plan. */
export function testResults({ simulations }: RunResult): TestResult[] {
  const groups = Map.groupBy(simulations, ({ testVersionId, personaId }) => `${testVersionId} ${personaId}`);
  const titles = titlesOf(simulations);
  return [...groups.values()].map((all) => resultOf(titles.get(all[0]!)!, all));
}

/** Returns a result for each simulation, with the number of its iteration in the title when its test has several. */
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

/** Names each simulation by its test, and by persona and version when the test has several. */
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

/** The mean over the tests of the chance that `k` iterations all pass. */
export type PassPower = { k: number; share: number };

const POWERS = [1, 2, 3, 5, 10, 20, 50, 100];

/**
 * Returns pass^k for several k up to the smallest number of iterations: the share of the ways to choose k iterations of a
 * test in which all passed, as a mean over the tests. Iterations that an error of ours spoiled are left out.
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

/** Returns the share of the ways to choose `k` of `count` iterations in which each one is among the `passed` ones. */
function allPass(passed: number, count: number, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, passed - i) / (count - i);
  return share;
}
