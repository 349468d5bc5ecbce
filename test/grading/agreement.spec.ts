import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agreementOf } from "../../packages/server/src/grading/statistics/agreement.ts";
import { wilson } from "../../packages/server/src/grading/statistics/statistics.ts";

const labels = (counts: [number, number, number, number]) =>
  (["passed passed", "passed failed", "failed passed", "failed failed"] as const).flatMap((pair, i) => {
    const [grader, person] = pair.split(" ") as ["passed" | "failed", "passed" | "failed"];
    return Array.from({ length: counts[i]! }, () => ({ grader, person }));
  });

describe("agreement", () => {
  test("beyond chance equals Cohen's kappa, with the interval of the agreement", () => {
    // The textbook table of two readers of 50 proposals: 20, 5, 10, 15.
    const found = agreementOf(labels([20, 5, 10, 15]));
    expect([found.agreement, found.kappa]).toEqual([0.7, expect.closeTo(0.4, 10)]);
    expect([found.falsePass, found.falseFail]).toEqual([expect.closeTo(5 / 20, 10), expect.closeTo(10 / 30, 10)]);
    const { low, high } = wilson(35, 50)!;
    expect([found.agreementLow, found.agreementHigh]).toEqual([low, high]);
    expect([found.kappaLow, found.kappaHigh]).toEqual([
      expect.closeTo((low - 0.5) / 0.5, 10),
      expect.closeTo((high - 0.5) / 0.5, 10),
    ]);
    expect(found.missing).toBeNull();
  });

  test("below the minimum number of labels is null, with the reason", () => {
    expect(agreementOf([])).toMatchObject({
      labels: 0,
      agreement: null,
      kappa: null,
      falsePass: null,
      falseFail: null,
    });
    const found = agreementOf(labels([10, 1, 2, 6]));
    expect(found).toMatchObject({ labels: 19, agreement: null, kappa: null, falsePass: null });
    expect(found.falseFail).toBeCloseTo(2 / 12, 10);
    expect(found.missing).toBe(
      "Agreement needs at least 20 labels of judged grades; there are 19. The share of false passes needs at least 10 labels `failed`; there are 7.",
    );
  });

  test("agreement has no kappa when all labels have one verdict", () => {
    const found = agreementOf(labels([30, 0, 0, 0]));
    expect(found).toMatchObject({ agreement: 1, kappa: null, falsePass: null, falseFail: 0 });
    expect(found.agreementLow).toBeCloseTo(0.8865, 3);
    expect(found.missing).toMatch(/Kappa needs labels or grades of both verdicts/);
  });

  test("agreement is always inside its interval", () => {
    const cell = fc.nat(30);
    fc.assert(
      fc.property(fc.tuple(cell, cell, cell, cell), (counts) => {
        const found = agreementOf(labels(counts));
        for (const [value, low, high] of [
          [found.agreement, found.agreementLow, found.agreementHigh],
          [found.kappa, found.kappaLow, found.kappaHigh],
          [found.falsePass, found.falsePassLow, found.falsePassHigh],
          [found.falseFail, found.falseFailLow, found.falseFailHigh],
        ]) {
          expect((low === null) === (value === null) && (high === null) === (value === null)).toBe(true);
          if (value !== null) expect(low! <= value! + 1e-12 && value! <= high! + 1e-12).toBe(true);
        }
      }),
    );
  });
});
