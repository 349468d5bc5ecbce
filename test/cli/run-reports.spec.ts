import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotationsOf, summaryOf } from "../../packages/cli/src/runs/github.ts";
import { junitOf } from "../../packages/cli/src/runs/junit.ts";
import { EVERY_ITERATION } from "@svc/contract/constants";
import { createTally } from "../../packages/cli/src/runs/watch.ts";
import { noticesOf } from "../../packages/cli/src/runs/notices.ts";
import { reportOf } from "../../packages/cli/src/runs/report.ts";
import type { RunResult } from "../../packages/cli/src/runs/result.ts";
import { exitCodeOf, requirementOf } from "../../packages/cli/src/runs/requirement.ts";
import { resultText } from "../../packages/cli/src/runs/result-text.ts";
import { textOfMarks } from "../support/any-text.ts";
import { aGrade, aResult, aSimulation, iterations } from "../support/run-result.ts";

const NO_JUDGE = "Needs a judge: set SVC_LLM_BASE_URL.";

const all = (result: RunResult, share?: string) => [{ result, requirement: requirementOf(share) }];

test("a note of the run is in every report, and does not change the outcome", () => {
  const note = "The conversation has 1 span, none from the agent's worker so far.";
  const result = aResult([aSimulation("passed")], { notes: [note] });
  expect(reportOf(result, EVERY_ITERATION)).toMatchObject({ outcome: "passed", notices: [note] });
  for (const text of [resultText(result), junitOf(all(result)), summaryOf(result), ...annotationsOf(result)])
    expect(text).toContain("none from the agent's worker so far");
});

describe("in a job of GitHub Actions", () => {
  test("an annotation is one command for any names and reasons", () => {
    fc.assert(
      fc.property(textOfMarks(), textOfMarks(), (testName, reason) => {
        const [line] = annotationsOf(aResult([aSimulation("failed", { testName, grades: [aGrade({ reason })] })]));
        expect(line).toMatch(/^::error title=[^:,\n\r]*::[^\n\r]*$/);
        expect(line!.replaceAll(/%(25|0A|0D|3A|2C)/g, "")).not.toContain("%");
      }),
    );
  });

  test("failures come first, other verdicts are warnings, and a passed simulation has no annotation", () => {
    const lines = annotationsOf(aResult([aSimulation("passed"), aSimulation("errored"), aSimulation("failed")]));
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(["::error", "::warning"]);
    expect(
      annotationsOf(
        aResult(Array.from({ length: 50 }, (_, index) => aSimulation("failed", { testVersionId: `tstv_${index}` }))),
      ),
    ).toHaveLength(10);
  });

  test("the summary's table is intact for any name", () => {
    const testName = "a | b\n\n<script>alert(1)</script> `x` [y](z)";
    const summary = summaryOf(aResult([aSimulation("failed", { testName })]));
    const rows = summary.split("\n").filter((line) => line.startsWith("| failed"));
    expect(rows).toHaveLength(1);
    expect(rows[0]!.match(/(?<!\\)\|/g)).toHaveLength(4);
    expect(summary).not.toContain("<script>");
  });
});

describe("the exit code", () => {
  test.each([
    ["all", "PP", 0],
    ["all", "PFE", 1],
    ["all", "PE", 2],
    ["all", "PU", 2],
    ["all", "N", 2],
    ["all", "", 2],
    ["4/5", "PPPPP", 0],
    ["4/5", "PPPPF", 0],
    ["4/5", "PPPFF", 1],
    ["4/5", "PPPPU", 0],
    ["4/5", "PPPUU", 2],
    ["4/5", "PPPFU", 2],
    ["4/5", "PPFFU", 1],
    ["4/5", "PPPEE", 2],
    ["4/5", "PPPPX", 0],
    ["80%", "PPPPPPPPFF", 0],
    ["80 %", "PPPPPPPFFF", 1],
    ["66%", "PPF", 0],
    ["1/1", "PPF", 1],
  ] as const)("the exit code is, when %s must pass and the verdicts are %s, %i", (share, letters, code) => {
    const requirement = requirementOf(share === "all" ? undefined : share);
    expect(exitCodeOf(reportOf(aResult(iterations(letters)), requirement).outcome)).toBe(code);
  });

  test("the exit code follows the worst test", () => {
    const codeOf = (...tests: string[]) => {
      const simulations = tests.flatMap((letters, index) => iterations(letters, `test ${index}`));
      return exitCodeOf(reportOf(aResult(simulations), requirementOf("4/5")).outcome);
    };
    expect([codeOf("PPPPP", "PPPPF"), codeOf("PPPPP", "PPPUU"), codeOf("PPPUU", "PFFFF")]).toEqual([0, 2, 1]);
  });

  test("the exit code is not 0 for a canceled run", () => {
    const result = aResult([aSimulation("passed")], { status: "canceled" });
    expect(exitCodeOf(reportOf(result, EVERY_ITERATION).outcome)).toBe(2);
  });

  test.each(["4/0", "5/4", "0/5", "0%", "120%", "most", "4/5/6", "-1/5"])(
    "`--require` refuses the share %s",
    (share) => {
      expect(() => requirementOf(share)).toThrow(/Write it as 4\/5 or 80%\./);
    },
  );
});

describe("a run with several iterations", () => {
  const result = aResult([...iterations("PPPPF"), ...iterations("PFUPP", "Cancels")]);

  test("a run with several iterations has one row for each test, and equal failures together", () => {
    const text = resultText(result);
    expect(text).toMatch(/Books a room +4 of 5 +1 +0 +0 +5 of 5\nCancels +3 of 5 +1 +1 +0 +4 of 5\n/);
    const failing = resultText(aResult(iterations("FFFPP")));
    expect(failing.match(/The agent never said it\./g)).toHaveLength(1);
    expect(failing).toContain("failed in 3 of 5: repeats back two nights");
    expect(resultText(result, { each: true })).toContain("Cancels · #3");
  });

  test("a run with several iterations shows the required share, and whether each test meets it", () => {
    const text = resultText(result, { requirement: requirementOf("4/5") });
    expect(text).toMatch(/4\/5 REQUIRED +PASSED/);
    expect(text).toMatch(/Books a room +met +4 of 5 .*\nCancels +undecided +3 of 5 /);
  });

  test("a run with several iterations has the chance that k iterations all pass, as a mean over the tests", () => {
    // 4 of 5 and 3 of 5: pass^2 is the mean of 6/10 and 3/10, and pass^3 the mean of 4/10 and 1/10.
    const { passPowers } = reportOf(result, EVERY_ITERATION);
    expect(passPowers.map(({ k }) => k)).toEqual([1, 2, 3, 5]);
    const shares = [0.7, 0.45, 0.25, 0];
    for (const [index, { share }] of passPowers.entries()) expect(share).toBeCloseTo(shares[index]!, 10);
    expect(reportOf(aResult(iterations("P")), EVERY_ITERATION).passPowers).toEqual([]);
    expect(reportOf(aResult(iterations("PEEP")), EVERY_ITERATION).passPowers).toEqual([
      { k: 1, share: 1 },
      { k: 2, share: 1 },
    ]);
  });

  test("a run with several iterations lists each test with its counts in the JSON", () => {
    expect(reportOf(result, requirementOf("3/5"))).toMatchObject({
      outcome: "passed",
      requirement: "3/5",
      tests: [
        { testName: "Books a room", iterations: 5, passed: 4, failed: 1, undecided: 0, outcome: "passed" },
        { testName: "Cancels", iterations: 5, passed: 3, failed: 1, undecided: 1, outcome: "passed" },
      ],
    });
  });
});

describe("a notice", () => {
  const grade = (more: object) => aGrade({ verdict: "not_graded", decidedBy: "none", reason: NO_JUDGE, ...more });

  test("a notice names each cause of undecided behaviors once", () => {
    const notices = noticesOf([
      aSimulation("not_graded", { behaviorCount: 2, behaviorsGraded: 1, grades: [grade({})] }),
      aSimulation("inconclusive", {
        behaviorCount: 2,
        behaviorsGraded: 1,
        grades: [aGrade({ verdict: "inconclusive" })],
      }),
      aSimulation("not_graded", { grades: [] }),
      aSimulation("not_graded", { grades: [grade({ counts: false })] }),
      aSimulation("not_graded", {
        behaviorsGraded: 1,
        grades: [grade({ criterion: "Calm", graderName: "Calm" }), aGrade()],
      }),
      aSimulation("not_graded", { grades: [grade({ reason: "The quote is not closed." })] }),
      aSimulation("errored", { behaviorsGraded: 1, grades: [] }),
      aSimulation("failed", { behaviorCount: 0, behaviorsGraded: 0, grades: [] }),
    ]);
    expect(notices).toEqual([
      expect.stringMatching(/^1 of 9 behaviors was not graded\. Set a language model .*, or write it as a check/),
      expect.stringMatching(/^1 of 9 behaviors was not graded, because no grader that counts looks at them\. Run `svc/),
      "1 of 9 behaviors was not graded, because the sentence cannot be read. Each reason names the remedy.",
      "1 of 9 behaviors was not graded, because the agent said nothing.",
      "1 of 9 behaviors was inconclusive. Each reason names the missing evidence.",
      expect.stringMatching(/^Without a judge these graders decide nothing: Calm\. Set a language model/),
      "1 simulation met an error of the service or of the network. The pass rate leaves it out.",
    ]);
  });

  test("a notice is absent when every behavior was decided", () => {
    expect(noticesOf([aSimulation("passed"), aSimulation("failed"), aSimulation(null)])).toEqual([]);
  });
});

test("the progress bar counts each simulation once, by its last verdict", () => {
  const tally = createTally(4);
  const base = { seq: 1, at: "2026-11-21T09:30:00.000Z", behaviorsGraded: 1, behaviorCount: 1 };
  expect(tally.bar(0)).toBe(`${"░".repeat(24)} 0/4  0 s`);
  tally.add({ ...base, kind: "grade", simulationId: "a", verdict: "passed" });
  tally.add({ ...base, kind: "grade", simulationId: "b", verdict: "passed" });
  tally.add({ ...base, kind: "grade", simulationId: "b", verdict: "failed" });
  expect(tally.bar(7)).toBe(`${"█".repeat(12)}${"░".repeat(12)} 2/4  1 passed, 1 failed  7 s`);
});
