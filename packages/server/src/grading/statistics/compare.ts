import type { Verdict } from "@svc/contract";
import { atOnce } from "../../base/async/in-slices.ts";
import { isDecided } from "../decision.ts";
import { canReach, significantTests } from "./discrete-step-up.ts";
import { type ExactTest, exactTest } from "./exact-test.ts";
import {
  passHatKs,
  passRateDifferenceInterval,
  passRateInterval,
  passRateOf,
  sumOf,
  type Tally,
  tallyOf,
} from "./pass-rates.ts";
import { computeMedianDifference, type Interval, median } from "./statistics.ts";

export type SimulationResult = {
  testId: string;
  testVersionId: string;
  testName: string;
  persona: string;
  iteration: number;
  verdict: Verdict;
  latencyMs: number | null; // median response time of the conversation
};

type Pair<Result> = { before: Result; after: Result };

export type RatedRun = Tally & {
  tests: number;
  passRate: number | null;
  interval: Interval | null;
  passHatK: number[];
};

export type ComparedTest = {
  testId: string;
  testVersionId: string;
  testName: string;
  first: Tally & { passHatK: number[] };
  second: Tally & { passHatK: number[] };
  change: "broken" | "mended" | "none";
  p: number;
  canDiffer: boolean;
};

type RunDifferenceTest = { p: number; differs: boolean };

export type LatencyDifference = {
  pairs: number;
  firstMs: number;
  secondMs: number;
  differenceMs: number;
  lowMs: number;
  highMs: number;
};

export type Comparison<Result extends SimulationResult = SimulationResult> = {
  pairs: number;
  unpaired: number; // number of simulations that only one run has
  decided: number; // number of pairs in which each simulation passed or failed
  regressed: Pair<Result>[]; // passed in the first run and not in the second
  mended: Pair<Result>[];
  first: RatedRun;
  second: RatedRun;
  difference: Interval | null; // pass rate of the second run minus the pass rate of the first run
  tests: ComparedTest[];
  passing: RunDifferenceTest;
  undecided: RunDifferenceTest;
  latency: LatencyDifference | null;
  /** True if the pass rates, the undecided shares or a test differ significantly. */
  passingDiffers: boolean;
  latencyDiffers: boolean;
};

/**
 * Significance level of all comparisons of passing together: of the pairs of equal runs, at most 5 percent are reported as
 * different. The comparisons of single tests use 3 of these 5 percent, so that four plays of a test can be significant. The
 * comparisons of whole runs use the other 2 of the 5 percent.
 */
const PASSING_LEVEL = 0.05;
const TESTS_LEVEL = 0.03;
/** Smallest number of pairs for an interval of the latency. With fewer pairs, the interval is meaningless. */
export const LATENCY_PAIRS_MIN = 10;
/**
 * Smallest difference of the latency that matters, as a share of the median. A smaller difference does not matter, even if it is
 * significant.
 */
const LATENCY_SHARE_MIN = 0.05;
/** Smallest difference that callers notice, in milliseconds. */
const LATENCY_MS_MIN = 50;

/**
 * Compares two runs by their simulations of the same test versions and personas. Undecided simulations count as not passed. Errored
 * simulations are ignored. The comparison does not depend on the order of the results.
 */
export const compareRuns = <Result extends SimulationResult>(
  first: readonly Result[],
  second: readonly Result[],
): Comparison<Result> => atOnce(computeComparison(first, second));

export function* computeComparison<Result extends SimulationResult>(
  first: readonly Result[],
  second: readonly Result[],
): Generator<void, Comparison<Result>> {
  const pairs = pairsOf(first, second);
  yield;
  const tests = testsOf(first, second);
  yield;
  const passing = wholeTest(tests, ({ passed }) => passed);
  yield;
  const undecided = wholeTest(tests, (tally) => tally.undecided);
  yield;
  const perTest = tests.map(({ cells }) => exactTest(cells.map((cell) => stratumOf(cell, ({ passed }) => passed))));
  const significant = new Set(significantTests(perTest, TESTS_LEVEL));
  const wholeLevel = perTest.some((test) => canReach(test, TESTS_LEVEL)) ? PASSING_LEVEL - TESTS_LEVEL : PASSING_LEVEL;
  const reaching = [passing, undecided].filter((test) => canReach(test, wholeLevel)).length;
  const differs = ({ p }: ExactTest): RunDifferenceTest => ({ p, differs: p <= wholeLevel / Math.max(1, reaching) });
  const whole = { passing: differs(passing), undecided: differs(undecided) };
  yield;
  const latency = yield* latencyOf(pairs);
  const tallies = tests.map(({ cells }) => ({
    first: sumOf(cells.map((cell) => cell.first)),
    second: sumOf(cells.map((cell) => cell.second)),
  }));
  const seed = JSON.stringify(tallies);
  const [firstTallies, secondTallies] = [tallies.map((test) => test.first), tallies.map((test) => test.second)];
  const firstRated = ratedRun(firstTallies, seed);
  yield;
  const secondRated = ratedRun(secondTallies, seed);
  yield;
  const difference = passRateDifferenceInterval(tallies, seed);
  yield;
  const wasNotPassed = (pair: Pair<Result>, side: "before" | "after") => {
    const { verdict } = pair[side];
    return verdict !== "passed" && verdict !== "errored";
  };
  return {
    pairs: pairs.length,
    unpaired: first.length + second.length - 2 * pairs.length,
    decided: pairs.filter(({ before, after }) => isDecided(before.verdict) && isDecided(after.verdict)).length,
    regressed: pairs.filter((pair) => pair.before.verdict === "passed" && wasNotPassed(pair, "after")),
    mended: pairs.filter((pair) => pair.after.verdict === "passed" && wasNotPassed(pair, "before")),
    first: firstRated,
    second: secondRated,
    difference,
    tests: tests.map(({ cells: _, ...test }, index) => ({
      ...test,
      first: { ...tallies[index]!.first, passHatK: passHatKs([tallies[index]!.first]) },
      second: { ...tallies[index]!.second, passHatK: passHatKs([tallies[index]!.second]) },
      change: significant.has(index) ? directionOf(perTest[index]!) : "none",
      p: perTest[index]!.p,
      canDiffer: canReach(perTest[index]!, TESTS_LEVEL),
    })),
    ...whole,
    latency,
    passingDiffers: whole.passing.differs || whole.undecided.differs || significant.size > 0,
    latencyDiffers: latency !== null && latencyDiffers(latency),
  };
}

const keyOf = ({ testVersionId, persona, iteration }: SimulationResult) =>
  JSON.stringify([testVersionId, persona, iteration]);

const directionOf = ({ observed, expected }: ExactTest) => (observed < expected ? "broken" : "mended");

function pairsOf<Result extends SimulationResult>(first: readonly Result[], second: readonly Result[]): Pair<Result>[] {
  const others = new Map(second.map((result) => [keyOf(result), result]));
  return first
    .map((before) => ({ key: keyOf(before), before, after: others.get(keyOf(before)) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ before, after }) => (after === undefined ? [] : [{ before, after }]));
}

/** Tallies of one test version with one persona in both runs. */
type Cell = { first: Tally; second: Tally };

type TestOfBoth = Pick<ComparedTest, "testId" | "testVersionId" | "testName"> & { cells: Cell[] };

function testsOf(first: readonly SimulationResult[], second: readonly SimulationResult[]): TestOfBoth[] {
  const inSecond = Map.groupBy(second, ({ testVersionId }) => testVersionId);
  return [...Map.groupBy(first, ({ testVersionId }) => testVersionId)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([testVersionId, before]) => {
      const cells = cellsOf(before, inSecond.get(testVersionId) ?? []);
      const { testId, testName } = before[0]!;
      return cells.length === 0 ? [] : [{ testId, testVersionId, testName, cells }];
    });
}

function cellsOf(first: readonly SimulationResult[], second: readonly SimulationResult[]): Cell[] {
  const after = Map.groupBy(second, ({ persona }) => persona);
  return [...Map.groupBy(first, ({ persona }) => persona)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([persona, results]) => {
      const others = after.get(persona);
      const verdicts = (some: readonly SimulationResult[]) => some.map(({ verdict }) => verdict);
      return others ? [{ first: tallyOf(verdicts(results)), second: tallyOf(verdicts(others)) }] : [];
    });
}

const stratumOf = ({ first, second }: Cell, hits: (tally: Tally) => number) => ({
  first: { hits: hits(first), count: first.played },
  second: { hits: hits(second), count: second.played },
});

const wholeTest = (tests: readonly TestOfBoth[], hits: (tally: Tally) => number): ExactTest =>
  exactTest(tests.flatMap(({ cells }) => cells.map((cell) => stratumOf(cell, hits))));

function ratedRun(tests: readonly Tally[], seed: string): RatedRun {
  const sum = sumOf(tests);
  return {
    ...sum,
    tests: tests.length,
    passRate: passRateOf(sum),
    interval: passRateInterval(tests, seed),
    passHatK: passHatKs(tests),
  };
}

function* latencyOf(pairs: readonly Pair<SimulationResult>[]): Generator<void, LatencyDifference | null> {
  const latencies = pairs.flatMap(({ before, after }) =>
    before.latencyMs === null || after.latencyMs === null ? [] : [[before.latencyMs, after.latencyMs] as const],
  );
  if (latencies.length < LATENCY_PAIRS_MIN) return null;
  const { difference, low, high } = (yield* computeMedianDifference(latencies, JSON.stringify(latencies)))!;
  return {
    pairs: latencies.length,
    firstMs: median(latencies.map(([before]) => before)),
    secondMs: median(latencies.map(([, after]) => after)),
    differenceMs: difference,
    lowMs: low,
    highMs: high,
  };
}

const latencyDiffers = ({ firstMs, differenceMs, lowMs, highMs }: LatencyDifference) =>
  (lowMs > 0 || highMs < 0) && isNoticed(firstMs, differenceMs);

export const isNoticed = (firstMs: number, differenceMs: number): boolean =>
  Math.abs(differenceMs) >= leastNoticedMs(firstMs);

export const leastNoticedMs = (firstMs: number): number => Math.max(LATENCY_MS_MIN, firstMs * LATENCY_SHARE_MIN);
