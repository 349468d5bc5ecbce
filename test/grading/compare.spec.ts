import type { Verdict } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareRuns, type SimulationResult } from "../../packages/server/src/grading/statistics/compare.ts";
import {
  conditionsSentence,
  latencySentence,
  notesOf,
  passingSentence,
} from "../../packages/server/src/grading/statistics/compare-words.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";

const TESTS = 10;

/** Returns a run of ten tests with five plays each. */
const run = (
  of: (test: number, iteration: number) => Partial<SimulationResult> | Verdict = () => ({}),
  { tests = TESTS, iterations = 5 } = {},
): SimulationResult[] =>
  Array.from({ length: tests * iterations }, (_, index) => {
    const [test, iteration] = [index % tests, Math.floor(index / tests)];
    const given = of(test, iteration);
    return {
      testId: `tst_${test}`,
      testVersionId: `tstv_${test}`,
      testName: `Test ${test}`,
      persona: "calm",
      iteration,
      verdict: "passed",
      latencyMs: 800 + ((index * 37) % 200),
      ...(typeof given === "string" ? { verdict: given } : given),
    };
  });

const compared = (first: SimulationResult[], second: SimulationResult[]) => {
  const comparison = compareRuns(first, second);
  return {
    ...comparison,
    passingWords: passingSentence(comparison),
    latencyWords: latencySentence(comparison.latency, comparison.latencyDiffers),
    notes: notesOf(comparison),
    named: comparison.tests.filter(({ change }) => change !== "none").map(({ testName, change }) => [testName, change]),
  };
};

describe("one test of ten that goes from 5 of 5 to 0 of 5", () => {
  const broken = run((test) => (test === 3 ? "failed" : "passed"));

  test("one test of ten that goes from 5 of 5 to 0 of 5 is named as broken when all others pass, and as mended in the other direction", () => {
    const found = compared(run(), broken);
    expect(found.named).toEqual([["Test 3", "broken"]]);
    expect(found.passingDiffers).toBe(true);
    expect(found.passingWords).toContain('broken: "Test 3" (5 of 5 → 0 of 5)');
    expect(compared(broken, run()).named).toEqual([["Test 3", "mended"]]);
  });

  test("one test of ten that goes from 5 of 5 to 0 of 5 is named when the others pass 9 of 10", () => {
    const others = (iteration: number, test: number) => (iteration + test) % 10 === 0;
    const first = run((test, iteration) => (test !== 3 && others(iteration, test) ? "failed" : "passed"));
    const second = run((test, iteration) => (test === 3 || others(iteration + 5, test) ? "failed" : "passed"));
    expect(compared(first, second).named).toEqual([["Test 3", "broken"]]);
  });

  test("one test of ten that goes from 5 of 5 to 0 of 5 is named when its failures are undecided", () => {
    const undecided = run((test) => (test === 3 ? "inconclusive" : "passed"));
    expect(compared(run(), undecided).named).toEqual([["Test 3", "broken"]]);
  });

  test("one test of ten that goes from 5 of 5 to 0 of 5 is named over two personas together", () => {
    const both = (one: SimulationResult[]) => [...one, ...one.map((result) => ({ ...result, persona: "angry" }))];
    expect(compared(both(run()), both(broken)).named).toEqual([["Test 3", "broken"]]);
  });

  test("one test of ten that goes from 5 of 5 to 0 of 5 cannot be named with three plays, and a note says so", () => {
    const three = { iterations: 3 };
    const found = compared(
      run(() => "passed", three),
      run((test) => (test === 3 ? "failed" : "passed"), three),
    );
    expect(found.named).toEqual([]);
    expect(found.notes).toContain("A test with fewer than 4 plays in each run cannot be named as broken or mended.");
  });
});

describe("undecided and errored simulations", () => {
  test("a drop from 70 to 40 % is found when the failures turn inconclusive", () => {
    const first = run((test) => (test < 7 ? "passed" : "failed"));
    const second = run((test, iteration) => ((test + iteration) % 10 < 4 ? "passed" : "inconclusive"));
    const found = compared(first, second);
    expect(found).toMatchObject({ passingDiffers: true, undecided: { differs: true } });
    expect(found.second).toMatchObject({ played: 50, passed: 20, undecided: 30, passRate: 0.4 });
    expect(found.passingWords).toMatch(/more simulations are undecided: 0 of 50 before, 30 of 50 now/);
  });

  test("undecided in place of failed is found though the pass rate is the same", () => {
    const by = (verdict: Verdict) => run((test) => (test < 5 ? "passed" : verdict));
    const found = compared(by("failed"), by("not_graded"));
    expect(found).toMatchObject({ passing: { p: 1, differs: false }, undecided: { differs: true } });
    expect(found.passingDiffers).toBe(true);
  });

  test("errors count neither as passed nor as not passed", () => {
    const errors = run((_, iteration) => (iteration === 0 ? "errored" : "passed"));
    const found = compared(run(), errors);
    expect(found).toMatchObject({ passingDiffers: false, regressed: [], second: { played: 40, errored: 10 } });
    expect(found.notes).toContain("Errors of the service or the network do not count: 0 simulations before, 10 now.");
  });
});

describe("two runs", () => {
  test("two runs are not distinguishable when their agents are equal, and the sentences say so", () => {
    const next = seeded("equal");
    const agent = () => run(() => ({ verdict: next() < 0.8 ? "passed" : "failed", latencyMs: 700 + next() * 400 }));
    const found = compared(agent(), agent());
    expect([found.passingDiffers, found.latencyDiffers]).toEqual([false, false]);
    expect(found.passingWords).toMatch(
      /^Passing: not distinguishable: \d+ of 50 simulations passed before, \d+ of 50 now \(p = [\d.]+\)\.$/,
    );
    expect(found.latencyWords).toMatch(/^Latency: not distinguishable: /);
  });

  test("two runs that differ in every test say less or more often, and name three tests and the number of others", () => {
    const failing = run(() => "failed");
    expect(compared(run(), failing).passingWords).toMatch(
      /^Passing: the second run passes less often: 50 of 50 .* \(p < 0\.0001\); broken: "Test 0" .* and 7 more\.$/,
    );
    expect(compared(failing, run()).passingWords).toContain("passes more often");
  });

  test("two runs differ in latency when one is slower by more than 5 %", () => {
    const by = (factor: number) =>
      compared(
        run(),
        run().map((result) => ({ ...result, latencyMs: result.latencyMs! * factor })),
      ).latencyWords;
    expect(by(1.5)).toMatch(/^Latency: the second run is slower: median \d+ ms before, \d+ ms now/);
    expect(by(0.6)).toContain("the second run is faster");
    expect(by(1.01)).toContain("not distinguishable");
  });

  test("two runs without a common test have nothing to compare", () => {
    const other = run(() => ({ testVersionId: "tstv_other" }));
    expect(compared(run(), other)).toMatchObject({ pairs: 0, unpaired: 100, passingDiffers: false, tests: [] });
    expect(compared(run(), other).passingWords).toMatch(/nothing to compare/);
  });

  test("two runs are compared alike in any order of their results", () => {
    const anyVerdict = fc.constantFrom<Verdict>("passed", "failed", "inconclusive", "errored", "not_graded");
    const anyRun = fc
      .array(anyVerdict, { minLength: 12, maxLength: 12 })
      .map((verdicts) => run((test, iteration) => verdicts[test * 3 + iteration]!, { tests: 4, iterations: 3 }));
    fc.assert(
      fc.property(anyRun, anyRun, (first, second) => {
        const comparison = compareRuns(first, second);
        expect(compareRuns(first.toReversed(), second.toReversed())).toEqual(comparison);
        const { first: before, tests } = comparison;
        expect(before.played + before.errored).toBe(12);
        expect(tests.reduce((sum, test) => sum + test.second.passed, 0)).toBe(comparison.second.passed);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the sentence about the conditions", () => {
  const judge = { what: "judge", first: "a, prompt 1", second: "b, prompt 1" };

  test("forbids a conclusion about the agent when the runs differ besides it", () => {
    expect(conditionsSentence([judge], true)).toBe(
      "The runs differ besides the agent: judge (a, prompt 1 → b, prompt 1). Two runs are compared, and no difference between them is evidence about the agent.",
    );
  });

  test("the sentence about the conditions says that two runs are compared, not two agents", () => {
    const agents = { first: "Desk", second: "Desk 2" };
    expect(conditionsSentence([], true, agents)).toBe(
      'The runs have different agents ("Desk" → "Desk 2"). The service records nothing else that differs between them: the agents may differ. Repeat the second run to confirm it.',
    );
    expect(conditionsSentence([judge], true, agents)).toMatch(
      /^The runs have different agents \("Desk" → "Desk 2"\)\. The runs differ besides the agent: /,
    );
    expect(conditionsSentence([], false)).toMatch(/^Two runs are compared, not two agents\. [^:]*\.$/);
    expect(conditionsSentence([], true)).toMatch(/the agent may have changed\. Repeat the second run to confirm it\.$/);
  });
});
