import type { Verdict } from "@svc/contract";
import { seeded } from "../../base/seeded.ts";
import type { Interval } from "./statistics.ts";

/** Results of simulations. `played` does not include `errored`, which counts errors of the service and the network. */
export type Tally = { played: number; passed: number; failed: number; undecided: number; errored: number };

/** Smallest number of tests for an interval. With fewer tests, it is too uncertain. */
const INTERVAL_TESTS_MIN = 5;
/** Number of a test's last runs that decide whether the test is flaky. */
export const FLAKY_RUNS_MAX = 10;
const PASS_HAT_K_MAX = 10;
const RESAMPLES = 2_000;

/** Counts the verdicts. `inconclusive`, `not_graded` and a missing verdict are undecided. */
export function tallyOf(verdicts: readonly (Verdict | null)[]): Tally {
  const count = (wanted: Verdict) => verdicts.filter((verdict) => verdict === wanted).length;
  const [passed, failed, errored] = [count("passed"), count("failed"), count("errored")];
  const played = verdicts.length - errored;
  return { played, passed, failed, undecided: played - passed - failed, errored };
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0);
  return {
    played: sum("played"),
    passed: sum("passed"),
    failed: sum("failed"),
    undecided: sum("undecided"),
    errored: sum("errored"),
  };
}

/** Returns the share of played simulations that passed. Undecided simulations count as not passed. */
export const passRateOf = ({ passed, played }: Pick<Tally, "passed" | "played">): number | null =>
  played === 0 ? null : passed / played;

/**
 * Returns an unbiased estimate of the probability that `k` plays of the test all pass. It is the share of all choices of `k` played
 * simulations in which all passed (pass^k; Yao and others 2024, tau-bench).
 */
export function passHatK({ passed, played }: Pick<Tally, "passed" | "played">, k: number): number | null {
  if (played < k) return null;
  let probability = 1;
  for (let i = 0; i < k; i++) probability *= Math.max(0, passed - i) / (played - i);
  return probability;
}

/** Returns the mean of pass^k over the tests, for each k from 1 to the number of times that every test was played, but at most to 10. */
export function passHatKs(tests: readonly Pick<Tally, "passed" | "played">[]): number[] {
  const played = tests.filter((test) => test.played > 0);
  if (played.length === 0) return [];
  const most = Math.min(PASS_HAT_K_MAX, ...played.map((test) => test.played));
  return Array.from(
    { length: most },
    (_, index) => played.reduce((sum, test) => sum + passHatK(test, index + 1)!, 0) / played.length,
  );
}

/**
 * Returns the 95 percent bootstrap interval of the pass rate. It resamples tests instead of simulations, because simulations of one test
 * resemble each other.
 */
export function passRateInterval(tests: readonly Tally[], seed: string): Interval | null {
  const played = tests.filter((test) => test.played > 0);
  return bootstrapOverTests(played, seed, (drawn) => rateOf(drawn));
}

/** Returns the 95 percent bootstrap interval of the difference of the pass rates, second minus first. */
export function passRateDifferenceInterval(
  tests: readonly { first: Tally; second: Tally }[],
  seed: string,
): Interval | null {
  const played = tests.filter(({ first, second }) => first.played > 0 && second.played > 0);
  return bootstrapOverTests(
    played,
    seed,
    (drawn) => rateOf(drawn.map(({ second }) => second)) - rateOf(drawn.map(({ first }) => first)),
  );
}

function rateOf(tests: readonly Tally[]): number {
  let [passed, played] = [0, 0];
  for (const test of tests) {
    passed += test.passed;
    played += test.played;
  }
  return passed / played;
}

function bootstrapOverTests<Test>(
  tests: readonly Test[],
  seed: string,
  of: (drawn: readonly Test[]) => number,
): Interval | null {
  if (tests.length < INTERVAL_TESTS_MIN) return null;
  const next = seeded(seed);
  const values = new Float64Array(RESAMPLES);
  const drawn = [...tests];
  for (let resample = 0; resample < RESAMPLES; resample++) {
    for (let i = 0; i < tests.length; i++) drawn[i] = tests[Math.floor(next() * tests.length)]!;
    values[resample] = of(drawn);
  }
  values.sort();
  const at = (share: number) => values[Math.round(share * (RESAMPLES - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

/**
 * Returns whether a test is flaky. `runs` are the last runs of one test version and agent, in order of time. A test is flaky if simulations
 * of one run both passed and failed. It is also flaky if its runs changed at least twice between passing and failing. A single change does
 * not make it flaky, because the agent was probably broken or fixed.
 */
export function isFlaky(runs: readonly Pick<Tally, "passed" | "failed">[]): boolean {
  const decided = runs.filter(({ passed, failed }) => passed + failed > 0);
  if (decided.some(({ passed, failed }) => passed > 0 && failed > 0)) return true;
  const changes = decided.filter(({ passed }, index) => index > 0 && decided[index - 1]!.passed > 0 !== passed > 0);
  return changes.length >= 2;
}
