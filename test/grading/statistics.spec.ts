import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareRuns, type SimulationResult } from "../../packages/server/src/grading/compare.ts";
import { seeded } from "../../packages/server/src/grading/seeded.ts";
import {
  agreementOf,
  mcnemar,
  median,
  medianDifference,
  wilson,
} from "../../packages/server/src/grading/statistics.ts";

describe("Wilson's interval", () => {
  // Newcombe 1998, Statistics in Medicine 17, table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("for %i of %i equals the published interval", (successes, count, low, high) => {
    const interval = wilson(successes, count)!;
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test("is null for an empty sample and contains the share otherwise", () => {
    expect(wilson(0, 0)).toBeNull();
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (passed, failed) => {
        fc.pre(passed + failed > 0);
        const { low, high } = wilson(passed, passed + failed)!;
        const share = passed / (passed + failed);
        return low >= 0 && high <= 1 && low <= share && share <= high;
      }),
    );
  });
});

describe("McNemar's exact test", () => {
  // Twice the tail of the binomial distribution with p = 1/2, as tabulated.
  test.each([
    [0, 0, 1],
    [5, 5, 1],
    [0, 5, 0.0625],
    [6, 0, 0.03125],
    [1, 9, 0.02148],
    [2, 8, 0.10938],
    [5, 15, 0.04139],
    [3, 12, 0.03516],
  ])("for %i against %i changes gives %f", (one, other, p) => {
    expect(mcnemar(one, other)).toBeCloseTo(p, 5);
    expect(mcnemar(other, one)).toBeCloseTo(p, 5);
  });

  test("is exact for thousands of changes", () => {
    expect(mcnemar(2_000, 2_000)).toBe(1);
    expect(mcnemar(1_000, 1_100)).toBeCloseTo(0.0307, 3);
    expect(mcnemar(0, 5_000)).toBeLessThan(1e-300);
  });
});

describe("agreement", () => {
  const labels = (counts: [number, number, number, number]) =>
    (["passed passed", "passed failed", "failed passed", "failed failed"] as const).flatMap((pair, i) => {
      const [grader, person] = pair.split(" ") as ["passed" | "failed", "passed" | "failed"];
      return Array.from({ length: counts[i]! }, () => ({ grader, person }));
    });

  test("beyond chance equals Cohen's kappa", () => {
    // The textbook table of two readers of 50 proposals: 20, 5, 10, 15.
    const { agreement, kappa, falsePass, falseFail } = agreementOf(labels([20, 5, 10, 15]));
    expect([agreement, kappa]).toEqual([0.7, expect.closeTo(0.4, 10)]);
    expect([falsePass, falseFail]).toEqual([expect.closeTo(5 / 20, 10), expect.closeTo(10 / 30, 10)]);
  });

  test("without labels that decide it is null, not zero", () => {
    expect(agreementOf([])).toEqual({ labels: 0, agreement: null, kappa: null, falsePass: null, falseFail: null });
    expect(agreementOf(labels([3, 0, 0, 0]))).toMatchObject({
      agreement: 1,
      kappa: null,
      falsePass: null,
      falseFail: 0,
    });
  });
});

describe("the difference of medians", () => {
  test("has the same interval for the same seed", () => {
    const pairs = Array.from({ length: 40 }, (_, i) => [500 + ((i * 37) % 100), 700 + ((i * 53) % 100)] as const);
    const result = medianDifference(pairs, "seed")!;
    expect(medianDifference(pairs, "seed")).toEqual(result);
    expect(result.low).toBeLessThanOrEqual(result.difference);
    expect(result.high).toBeGreaterThanOrEqual(result.difference);
    expect(result.low).toBeGreaterThan(150);
    expect(result.high).toBeLessThan(250);
    expect(medianDifference([], "seed")).toBeNull();
    expect(median([3, 1, 2, 10])).toBe(2.5);
  });

  test("has an interval that contains zero for about 95 of 100 samples without a difference", () => {
    const next = seeded("coverage");
    let covered = 0;
    for (let sample = 0; sample < 100; sample++) {
      const pairs = Array.from({ length: 30 }, () => [next() * 1000, next() * 1000] as const);
      const { low, high } = medianDifference(pairs, `${sample}`)!;
      if (low <= 0 && high >= 0) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(88);
  });
});

describe("two runs", () => {
  const run = (count: number, of: (i: number) => Partial<SimulationResult>): SimulationResult[] =>
    Array.from({ length: count }, (_, i) => ({
      testVersionId: `tstv_${i % 5}`,
      persona: "calm",
      iteration: Math.floor(i / 5),
      verdict: "passed",
      latencyMs: 800 + ((i * 37) % 200),
      ...of(i),
    }));

  test("are not distinguishable when their agents are equal, and the words say so", () => {
    const next = seeded("equal");
    const agent = () => run(50, () => ({ verdict: next() < 0.8 ? "passed" : "failed", latencyMs: 700 + next() * 400 }));
    const comparison = compareRuns(agent(), agent());
    expect(comparison.distinguishable).toBe(false);
    expect(comparison.words).toEqual([
      expect.stringContaining("Passing: not distinguishable"),
      expect.stringContaining("Latency: not distinguishable"),
    ]);
  });

  test("with a planted regression name the tests that regressed", () => {
    const worse = run(50, (i) => ({ verdict: i % 5 === 2 ? "failed" : "passed" }));
    const comparison = compareRuns(
      run(50, () => ({})),
      worse,
    );
    expect(comparison.regressed.map(({ testVersionId }) => testVersionId)).toEqual(Array(10).fill("tstv_2"));
    expect(comparison.words[0]).toContain(
      "passes less often: of 50 pairs 10 passed before and fail now, 0 failed before",
    );
    expect(
      compareRuns(
        worse,
        run(50, () => ({})),
      ).words[0],
    ).toContain("passes more often");
  });

  test("differ in latency when one is slower by more than 5 %", () => {
    const before = run(50, () => ({}));
    const by = (factor: number) =>
      compareRuns(
        before,
        before.map((result) => ({ ...result, latencyMs: result.latencyMs! * factor })),
      ).words[1];
    expect(by(1.5)).toMatch(/^Latency: the second run is slower: median \d+ ms before, \d+ ms now/);
    expect(by(0.6)).toContain("the second run is faster");
    expect(by(1.01)).toContain("not distinguishable");
  });

  test("are paired in any order, and results without a pair or a verdict do not count", () => {
    const first = run(10, (i) => ({ verdict: i === 0 ? "errored" : "passed" }));
    const second = run(12, (i) => ({ verdict: (["passed", "failed", "errored"] as const)[i] ?? "passed" })).reverse();
    const comparison = compareRuns(first, second);
    expect(comparison).toMatchObject({ pairs: 10, unpaired: 2, decided: 8, distinguishable: false });
    expect(comparison.words[0]).toContain("fewer than 6 changes can always be chance");
    expect(compareRuns(first.toReversed(), second.toReversed())).toEqual(comparison);
    expect(compareRuns([], second).words[0]).toContain("nothing to compare");
  });
});
