import { VERDICTS } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotationsOf, summaryOf } from "../../packages/cli/src/runs/github.ts";
import { junitOf } from "../../packages/cli/src/runs/junit.ts";
import { createTally } from "../../packages/cli/src/runs/progress-bar.ts";
import { exitCodeOf } from "../../packages/cli/src/runs/verdicts.ts";
import { aGrade, aResult, aSimulation } from "../support/run-result.ts";
import { parseXml } from "../support/xml.ts";

const MARKS = ["\0", "\b", "\u001b", "\uffff", "\ud800", "]]>", "&amp;", "<", '"', "\r\n", "\t", "%", "::", "|"];
const text = () =>
  fc
    .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 8 })
    .map((parts) => parts.join(""));
const evidence = [
  { turn: 3, quote: "Three nights, then.", toolCall: null },
  { turn: null, quote: null, toolCall: 0 },
];

describe("a JUnit report", () => {
  test("is one suite with a case for each simulation, and failures, errors and skipped cases are distinct", () => {
    const result = aResult([
      aSimulation("passed"),
      aSimulation("failed", { iteration: 2, grades: [aGrade({ evidence })] }),
      aSimulation("errored", { iteration: 3, message: "The agent could not be reached.", grades: [] }),
      aSimulation("inconclusive", { iteration: 4 }),
      aSimulation("not_graded", { iteration: 5 }),
      aSimulation(null, { iteration: 6, status: "canceled", endingReason: "canceled" }),
    ]);
    const suites = parseXml(junitOf(result));
    const counts = { tests: "6", failures: "1", errors: "1", skipped: "3" };
    expect(suites).toMatchObject({ name: "testsuites", attributes: counts });
    const [suite] = suites.children;
    expect(suite).toMatchObject({
      name: "testsuite",
      attributes: { ...counts, name: expect.stringContaining("Nightly") },
    });
    const cases = suite!.children.filter(({ name }) => name === "testcase");
    expect(cases.map(({ attributes, children }) => [attributes.name, children.map(({ name }) => name)])).toEqual([
      ["Books a room · #1", []],
      ["Books a room · #2", ["failure"]],
      ["Books a room · #3", ["error"]],
      ["Books a room · #4", ["skipped"]],
      ["Books a room · #5", ["skipped"]],
      ["Books a room · #6", ["skipped"]],
    ]);
    expect(cases[0]!.attributes).toEqual({ classname: "Books a room", name: "Books a room · #1", time: "1.250" });
    const failure = cases[1]!.children[0]!;
    expect(failure.attributes).toEqual({
      message: "failed: repeats back two nights: The agent never said it.",
      type: "failed",
    });
    expect(failure.text).toContain('turn 3: "Three nights, then."');
    expect(failure.text).toContain("tool call 0");
    expect(cases[2]!.children[0]!.attributes.message).toBe("errored: The agent could not be reached.");
    expect(cases[5]!.children[0]!.attributes.message).toBe("no verdict: it ended with canceled");
  });

  test("is well-formed XML and contains the test's name, whatever characters names, reasons and quotes have", () => {
    fc.assert(
      fc.property(text(), text(), text(), fc.constantFrom(...VERDICTS), (testName, reason, quote, verdict) => {
        const grades = [aGrade({ verdict, reason, evidence: [{ turn: 0, quote, toolCall: null }] })];
        const suites = parseXml(junitOf(aResult([aSimulation(verdict, { testName, grades })], { name: reason })));
        const testCase = suites.children[0]!.children.at(-1)!;
        const writable = testName.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
        expect(testCase.attributes.classname).toBe(writable);
      }),
    );
  });
});

describe("in a job of GitHub Actions", () => {
  test("an annotation is one command for any names and reasons", () => {
    fc.assert(
      fc.property(text(), text(), (testName, reason) => {
        const [line] = annotationsOf(aResult([aSimulation("failed", { testName, grades: [aGrade({ reason })] })]));
        expect(line).toMatch(/^::error title=[^:,\n\r]*::[^\n\r]*$/);
        expect(line!.replaceAll(/%(25|0A|0D|3A|2C)/g, "")).not.toContain("%");
      }),
    );
  });

  test("failures come first, other verdicts are warnings, and a passed simulation has no annotation", () => {
    const lines = annotationsOf(aResult([aSimulation("passed"), aSimulation("errored"), aSimulation("failed")]));
    expect(lines.map((line) => line.split(" ", 1)[0])).toEqual(["::error", "::warning"]);
    expect(annotationsOf(aResult(Array.from({ length: 50 }, () => aSimulation("failed"))))).toHaveLength(10);
  });

  test("no name breaks the table of the summary", () => {
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
    [["passed", "passed"], 0],
    [["passed", "failed", "errored"], 1],
    [["passed", "errored"], 2],
    [["passed", "inconclusive"], 2],
    [["not_graded"], 2],
    [[], 2],
  ] as const)("is, for verdicts %j, %i", (verdicts, code) => {
    expect(exitCodeOf(aResult(verdicts.map((verdict) => aSimulation(verdict))).run)).toBe(code);
  });

  test("is not 0 for a canceled run", () => {
    expect(exitCodeOf(aResult([aSimulation("passed")], { status: "canceled" }).run)).toBe(2);
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
