import type { Verdict } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isFlaky,
  passHatK,
  passHatKs,
  passRateDifferenceInterval,
  passRateInterval,
  passRateOf,
  sumOf,
  type Tally,
  tallyOf,
} from "../../packages/server/src/grading/statistics/pass-rates.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";

const tally = (passed: number, failed: number, undecided = 0, errored = 0): Tally => ({
  played: passed + failed + undecided,
  passed,
  failed,
  undecided,
  errored,
});

describe("a pass rate", () => {
  test("a pass rate counts undecided as not passed and leaves errors apart", () => {
    const verdicts: (Verdict | null)[] = ["passed", "failed", "inconclusive", "not_graded", null, "errored"];
    expect(tallyOf(verdicts)).toEqual(tally(1, 1, 3, 1));
    expect(passRateOf(tallyOf(verdicts))).toBe(0.2);
    expect(passRateOf(tally(0, 0, 0, 3))).toBeNull();
    expect(sumOf([tally(1, 2, 3, 4), tally(5, 6, 7, 8)])).toEqual(tally(6, 8, 10, 12));
  });
});

describe("pass^k", () => {
  test("pass^k equals the share of passing choices of k plays", () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(6), fc.integer({ min: 1, max: 8 }), (passed, failed, k) => {
        const played = passed + failed;
        if (played < k) {
          expect(passHatK({ passed, played }, k)).toBeNull();
          return;
        }
        let [all, passing] = [0, 0];
        for (let choice = 0; choice < 2 ** played; choice++) {
          const chosen = Array.from({ length: played }, (_, index) => index).filter((index) => (choice >> index) & 1);
          if (chosen.length !== k) continue;
          all++;
          if (chosen.every((index) => index < passed)) passing++;
        }
        expect(passHatK({ passed, played }, k)).toBeCloseTo(passing / all, 10);
      }),
    );
  });

  test("pass^k of several tests is their mean, for k up to the number of times that every test was played", () => {
    expect(passHatKs([tally(4, 1), tally(5, 0)])).toEqual([0.9, 0.8, 0.7, 0.6, 0.5].map((p) => expect.closeTo(p, 10)));
    expect(passHatKs([tally(4, 1), tally(2, 0)])).toHaveLength(2);
    expect(passHatKs([tally(0, 0, 0, 2)])).toEqual([]);
    expect(passHatKs([tally(30, 0)])).toEqual(Array(10).fill(1));
  });
});

describe("the interval of a pass rate", () => {
  test("the interval of a pass rate draws tests: ten tests that always pass or always fail are less sure than a hundred independent plays", () => {
    const clustered = Array.from({ length: 10 }, (_, index) => (index < 7 ? tally(10, 0) : tally(0, 10)));
    const alike = Array.from({ length: 10 }, () => tally(7, 3));
    const wide = passRateInterval(clustered, "seed")!;
    expect(wide.low).toBeLessThanOrEqual(0.45);
    expect(wide.high).toBeGreaterThanOrEqual(0.9);
    expect(passRateInterval(alike, "seed")).toEqual({ low: expect.closeTo(0.7, 9), high: expect.closeTo(0.7, 9) });
  });

  test("the interval of a pass rate is the same for the same seed, and null with fewer than five tests", () => {
    const tests = Array.from({ length: 8 }, (_, index) => tally(index % 4, 2));
    expect(passRateInterval(tests, "a")).toEqual(passRateInterval(tests, "a"));
    expect(passRateInterval(tests.slice(0, 4), "a")).toBeNull();
    expect(passRateInterval([...tests.slice(0, 4), tally(0, 0, 0, 5)], "a")).toBeNull();
  });

  test("the interval of a pass rate contains the true rate in about 95 of 100 runs whose tests differ", () => {
    const next = seeded("coverage of tests");
    let covered = 0;
    for (let run = 0; run < 200; run++) {
      const tests = Array.from({ length: 30 }, () => {
        const rate = next();
        const passed = Array.from({ length: 5 }, () => next() < rate).filter(Boolean).length;
        return tally(passed, 5 - passed);
      });
      const { low, high } = passRateInterval(tests, `${run}`)!;
      if (low <= 0.5 && 0.5 <= high) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(176);
  });

  test("the interval of a pass rate draws the same tests on both sides for a difference", () => {
    const tests = Array.from({ length: 6 }, (_, index) => ({ first: tally(index, 5), second: tally(index, 5) }));
    expect(passRateDifferenceInterval(tests, "seed")).toEqual({ low: 0, high: 0 });
  });
});

describe("a flaky test", () => {
  const [P, F, MIXED, NONE] = [tally(5, 0), tally(0, 5), tally(3, 2), tally(0, 0, 5)];

  test.each<[string, Tally[], boolean]>([
    ["both passes and fails in one run", [P, MIXED], true],
    ["fails between passes", [P, F, P], true],
    ["passes between fails", [F, NONE, P, NONE, F], true],
    ["breaks and stays broken", [P, P, F, F], false],
    ["is mended and stays so", [F, P], false],
    ["always passes", [P, P], false],
    ["is never decided", [NONE, NONE], false],
    ["has no run", [], false],
  ])("or not: one that %s", (_, runs, flaky) => {
    expect(isFlaky(runs)).toBe(flaky);
  });
});
