import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agreementOf, agreementOfPeople } from "../../packages/server/src/grading/statistics/agreement.ts";
import { wilson } from "../../packages/server/src/grading/statistics/statistics.ts";

const labels = (counts: [number, number, number, number]) =>
  (["passed passed", "passed failed", "failed passed", "failed failed"] as const).flatMap((pair, i) => {
    const [grader, person] = pair.split(" ") as ["passed" | "failed", "passed" | "failed"];
    return Array.from({ length: counts[i]! }, () => ({ grader, person }));
  });

describe("agreement", () => {
  test("beyond chance equals Cohen's kappa, with the interval of the agreement", () => {
    // A textbook example of kappa: two readers judge 50 proposals, with the four counts 20, 5, 10 and 15.
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
          [found.balancedAccuracy, found.balancedAccuracyLow, found.balancedAccuracyHigh],
        ]) {
          expect((low === null) === (value === null) && (high === null) === (value === null)).toBe(true);
          if (value !== null) expect(low! <= value! + 1e-12 && value! <= high! + 1e-12).toBe(true);
        }
      }),
    );
  });

  test("agreement has a balanced accuracy with the published interval of two independent shares", () => {
    // Newcombe (1998), table II, example a: the difference between 56 of 70 and 48 of 80 is 0.2, and its score interval is from
    // 0.0524 to 0.3339. The code takes the second share as its opposite, 32 of 80.
    const found = agreementOf(labels([56, 48, 14, 32]));
    expect(found.balancedAccuracy).toBeCloseTo((56 / 70 + 32 / 80) / 2, 12);
    expect(found.balancedAccuracyLow).toBeCloseTo((1 + 0.0524) / 2, 4);
    expect(found.balancedAccuracyHigh).toBeCloseTo((1 + 0.3339) / 2, 4);
  });

  test("agreement has no balanced accuracy while one verdict has too few labels", () => {
    const found = agreementOf(labels([30, 2, 5, 7]));
    expect(found.balancedAccuracy).toBeNull();
    expect(found.missing).toMatch(/there are 9\./);
  });
});

/** The goodness-of-fit interval in the closed form of Donner and Eliasziw (1992): the roots of a cubic. */
function closedForm(bothPass: number, differ: number, bothFail: number) {
  const n = bothPass + differ + bothFail;
  const chi = 3.841458820694124;
  const p = (2 * bothPass + differ) / (2 * n);
  const v = p * (1 - p);
  const y1 = ((differ - 2 * n * v) ** 2 + 4 * n * n * v * v) / (4 * n * v * v * (chi + n)) - 1;
  const y2 = (differ * differ - 4 * n * v * (1 - 4 * v) * chi) / (4 * n * v * v * (chi + n)) - 1;
  const y3 = (differ + (1 - 2 * v) * chi) / (v * (chi + n)) - 1;
  const scale = Math.sqrt((y3 * y3) / 9 - y2 / 3);
  const angle = Math.acos(((y3 * y3 * y3) / 27 - (y2 * y3 - 3 * y1) / 6) / scale ** 3);
  const third = (angle + 2 * Math.PI) / 3;
  return {
    low: scale * (Math.cos(third) + Math.sqrt(3) * Math.sin(third)) - y3 / 3,
    high: 2 * scale * Math.cos((angle + 5 * Math.PI) / 3) - y3 / 3,
  };
}

describe("agreement between people", () => {
  const people = (bothPass: number, differ: number, bothFail: number) =>
    agreementOfPeople({ bothPass, differ, bothFail });

  test("beyond chance equals the published intraclass kappa", () => {
    // The call `ci.kappa(.05, 31, 12, 4, 58)` of R's package statpsych prints 0.6736597. Its interval is symmetric (Wald's), from
    // 0.527 to 0.820.
    const found = people(58, 16, 31);
    expect(found).toMatchObject({ grades: 105, agreement: 89 / 105, missing: null });
    expect(found.kappa).toBeCloseTo(0.6736597, 7);
    expect(Math.abs(found.kappaLow! - 0.527)).toBeLessThan(0.03);
    expect(Math.abs(found.kappaHigh! - 0.82)).toBeLessThan(0.03);
    const { low, high } = wilson(89, 105)!;
    expect([found.agreementLow, found.agreementHigh]).toEqual([low, high]);
  });

  test("agreement between people has the interval of Donner and Eliasziw in their closed form", () => {
    for (const [bothPass, differ, bothFail] of [
      [58, 16, 31],
      [20, 15, 15],
      [12, 5, 4],
      [70, 9, 6],
      [11, 14, 10],
    ] as const) {
      const { kappaLow, kappaHigh } = people(bothPass, differ, bothFail);
      const { low, high } = closedForm(bothPass, differ, bothFail);
      expect(kappaLow).toBeCloseTo(low, 6);
      expect(kappaHigh).toBeCloseTo(high, 6);
    }
  });

  test("agreement between people is unknown for few grades, and has no kappa when all labels are equal; each with the reason", () => {
    expect(people(10, 4, 5)).toMatchObject({
      grades: 19,
      agreement: null,
      kappa: null,
      missing: "Agreement between people needs at least 20 grades with two labels; there are 19.",
    });
    const same = people(30, 0, 0);
    expect(same).toMatchObject({ agreement: 1, kappa: null, kappaLow: null });
    expect(same.missing).toBe("Kappa needs labels of both verdicts.");
    // Full agreement on 20 grades does not prove full agreement in general.
    const full = people(10, 0, 10);
    expect(full.kappa).toBe(1);
    expect(full.kappaHigh).toBe(1);
    expect(full.kappaLow).toBeLessThan(0.9);
  });

  test("agreement between people is always inside its interval", () => {
    const cell = fc.nat(200);
    fc.assert(
      fc.property(cell, cell, cell, (bothPass, differ, bothFail) => {
        const { kappa, kappaLow, kappaHigh } = people(bothPass, differ, bothFail);
        expect((kappaLow === null) === (kappa === null) && (kappaHigh === null) === (kappa === null)).toBe(true);
        if (kappa === null) return;
        expect(-1 <= kappaLow! && kappaLow! <= kappa + 1e-9 && kappa <= kappaHigh! + 1e-9 && kappaHigh! <= 1).toBe(
          true,
        );
      }),
    );
  });
});
