import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERDICTS } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { annotationsOf, summaryOf } from "../../packages/cli/src/runs/github.ts";
import { junitOf } from "../../packages/cli/src/runs/junit.ts";
import { EVERY_ITERATION } from "@svc/contract/constants";
import { reportOf } from "../../packages/cli/src/runs/report.ts";
import type { RunResult } from "../../packages/cli/src/runs/result.ts";
import { requirementOf } from "../../packages/cli/src/runs/requirement.ts";
import { resultText } from "../../packages/cli/src/runs/result-text.ts";
import { textOfMarks } from "../support/any-text.ts";
import { aGrade, aResult, aSimulation, iterations } from "../support/run-result.ts";
import { unknownId } from "../support/world.ts";
import { parseXml } from "../support/xml.ts";

const NO_JUDGE = "Needs a judge: set SVC_LLM_BASE_URL.";
const evidence = [
  { turn: 3, quote: "Three nights, then.", toolCall: null },
  { turn: null, quote: null, toolCall: 0 },
];

const all = (result: RunResult, share?: string) => [{ result, requirement: requirementOf(share) }];

describe("a JUnit report", () => {
  test("a JUnit report is one suite with a case for each simulation, and failures, errors and skipped cases are distinct", () => {
    const result = aResult([
      aSimulation("passed"),
      aSimulation("failed", { iteration: 2, grades: [aGrade({ evidence })] }),
      aSimulation("errored", { iteration: 3, message: "The agent could not be reached.", grades: [] }),
      aSimulation("inconclusive", { iteration: 4 }),
      aSimulation("not_graded", { iteration: 5 }),
      aSimulation(null, { iteration: 6, status: "canceled", endingReason: "canceled" }),
    ]);
    const suites = parseXml(junitOf(all(result)));
    const counts = { tests: "6", failures: "1", errors: "4", skipped: "0" };
    expect(suites).toMatchObject({ name: "testsuites", attributes: { tests: "6", failures: "1", errors: "4" } });
    const [suite] = suites.children;
    expect(suite).toMatchObject({
      name: "testsuite",
      attributes: { ...counts, name: "Grand Hotel" },
    });
    const cases = suite!.children.filter(({ name }) => name === "testcase");
    expect(cases.map(({ attributes, children }) => [attributes.name, children.map(({ name }) => name)])).toEqual([
      ["Books a room · #1", []],
      ["Books a room · #2", ["failure"]],
      ["Books a room · #3", ["error", "system-out"]],
      ["Books a room · #4", ["error", "system-out"]],
      ["Books a room · #5", ["error", "system-out"]],
      ["Books a room · #6", ["error", "system-out"]],
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
    const skipping = parseXml(junitOf(all(result), "skipped"));
    expect(skipping.children[0]!.attributes).toMatchObject({ failures: "1", errors: "1", skipped: "3" });
  });

  test("a note about the caller's end is not the reason of a failure: the behavior is named, and the note follows it", () => {
    const note = 'The caller has no line for the agent\'s question: the agent said "Anything else?".';
    const ended = { message: note, endingReason: "persona_concluded", endedBy: "caller" } as const;
    const result = aResult([aSimulation("failed", { ...ended, grades: [aGrade({ evidence })] })]);
    const failure = parseXml(junitOf(all(result))).children[0]!.children.find(({ name }) => name === "testcase")!
      .children[0]!;
    expect(failure.attributes.message).toBe("failed: repeats back two nights: The agent never said it.");
    for (const text of [failure.text, resultText(result)]) {
      expect(text).toContain(`note: ${note}`);
      expect(text).not.toContain(`failed: ${note}`);
    }
  });

  test("a JUnit report has the numbers of decided and undecided behaviors, and names the remedy once", () => {
    const unjudged = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        aGrade({ verdict: "not_graded", decidedBy: "none", criterion: `Behavior ${index}`, reason: NO_JUDGE }),
      );
    const result = aResult([
      aSimulation("not_graded", { behaviorCount: 5, behaviorsGraded: 1, grades: unjudged(4) }),
      aSimulation("not_graded", { testId: unknownId("tst2"), behaviorCount: 3, grades: unjudged(3) }),
    ]);
    const xml = junitOf(all(result));
    expect(xml).not.toContain("Needs a judge");
    const [suite] = parseXml(xml).children;
    const properties = suite!.children[0]!.children.map(({ attributes }) => [attributes.name, attributes.value]);
    expect(properties).toEqual(
      expect.arrayContaining([
        ["decided-behaviors", "1"],
        ["undecided-behaviors", "7"],
        ["allow-ungraded", "false"],
      ]),
    );
    const remedy =
      "7 of 8 behaviors were not graded. Set a language model with `svc language-model set`, or on the page Settings → Language model, or write them as checks (docs/behaviors.md).";
    expect(suite!.children.at(-1)).toMatchObject({ name: "system-out", text: remedy });
    for (const text of [
      xml,
      summaryOf(result).replaceAll("\\", ""),
      annotationsOf(result).join("\n"),
      resultText(result),
    ]) {
      expect(text.split("Set a language model")).toHaveLength(2);
      expect(text).toContain("7 of 8 behaviors were not graded");
    }
    expect(reportOf(result, EVERY_ITERATION).notices).toEqual([remedy]);
  });

  test("a JUnit report has no passing case for a test with a canceled iteration, even when enough others passed", () => {
    const canceled = aSimulation(null, { iteration: 3, status: "canceled", endingReason: "canceled" });
    const result = aResult([...iterations("PP"), canceled], { status: "canceled" });
    expect(junitOf(all(result, "1/6"))).toMatch(/errors="1"[^]*<error [^>]*type="undecided"/);
  });

  test("a JUnit report has a case for each test when a share of its iterations is required", () => {
    const result = aResult([...iterations("PPPPF"), ...iterations("PPFFF", "Cancels"), ...iterations("PPPUU", "Asks")]);
    const suites = parseXml(junitOf(all(result, "4/5")));
    expect(suites.children[0]!.attributes).toMatchObject({ tests: "3", failures: "1", errors: "1", skipped: "0" });
    const cases = suites.children[0]!.children.filter(({ name }) => name === "testcase");
    expect(cases.map(({ children }) => children.map(({ name }) => name))).toEqual([
      [],
      ["failure"],
      ["error", "system-out"],
    ]);
    expect(cases[1]!.children[0]!.attributes.message).toBe(
      "2 of 5 (4/5 required: missed): failed in 3 of 5: repeats back two nights: The agent never said it.",
    );
  });

  test("a JUnit report is well-formed XML and contains the test's name, whatever characters names, reasons and quotes have", () => {
    fc.assert(
      fc.property(
        textOfMarks(),
        textOfMarks(),
        textOfMarks(),
        fc.constantFrom(...VERDICTS),
        (testName, reason, quote, verdict) => {
          const grades = [aGrade({ verdict, reason, evidence: [{ turn: 0, quote, toolCall: null }] })];
          const suites = parseXml(
            junitOf(all(aResult([aSimulation(verdict, { testName, grades })], { name: reason, agentName: quote }))),
          );
          const testCase = suites.children[0]!.children.find(({ name }) => name === "testcase")!;
          const writable = testName.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
          expect(testCase.attributes.classname).toBe(writable);
        },
      ),
    );
  });
});

test("JUnit reports follow the schema that Jenkins and pytest use, and several runs are several suites", ({ skip }) => {
  const noXmllint = spawnSync("xmllint", ["--version"]).error;
  if (noXmllint) skip(`Nothing here validates XML: ${noXmllint.message}. Install xmllint.`);
  const mixed = aResult(
    [...VERDICTS, null].map((verdict, index) =>
      aSimulation(verdict, { iteration: index + 1, grades: [aGrade({ evidence })] }),
    ),
  );
  const undecided = aResult([aSimulation("not_graded", { behaviorCount: 3 })], { endedAt: null, name: null });
  const reports = [
    junitOf(all(mixed)),
    junitOf(all(mixed), "skipped"),
    junitOf(all(mixed, "4/5")),
    junitOf([...all(undecided), ...all(mixed, "80%")], "skipped"),
    junitOf(all(aResult([]))),
    ...fc
      .sample(textOfMarks(), 20)
      .map((reason) =>
        junitOf(all(aResult([aSimulation("failed", { testName: reason, grades: [aGrade({ reason })] })]))),
      ),
  ];
  expect(parseXml(reports[3]!).children.map(({ attributes }) => attributes.name)).toEqual([
    "Grand Hotel",
    "Grand Hotel",
  ]);
  const folder = mkdtempSync(join(tmpdir(), "svc-junit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = reports.map((_, index) => join(folder, `${index}.xml`));
  for (const [index, file] of files.entries()) writeFileSync(file, reports[index]!);
  const schema = join(import.meta.dirname, "../fixtures/junit-10.xsd");
  const { status, stderr } = spawnSync("xmllint", ["--noout", "--schema", schema, ...files], { encoding: "utf8" });
  expect([status, stderr.split("\n").filter((line) => !line.endsWith(" validates"))]).toEqual([0, [""]]);
});

test("a suite of a JUnit report has the name of the run's suite, and the run's id and page are its properties", () => {
  const result = aResult([aSimulation("passed")], { suiteName: "Booking" });
  const [suite] = parseXml(junitOf(all(result))).children;
  expect(suite!.attributes.name).toBe("Booking");
  const properties = suite!.children[0]!.children.map(({ attributes }) => [attributes.name, attributes.value]);
  expect(properties).toEqual(
    expect.arrayContaining([
      ["run", result.run.id],
      ["page", result.page],
    ]),
  );
  for (const text of [resultText(result), summaryOf(result)]) expect(text).toContain(result.page);
});
