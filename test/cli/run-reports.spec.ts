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
import { createTally } from "../../packages/cli/src/runs/watch.ts";
import { noticesOf } from "../../packages/cli/src/runs/notices.ts";
import { reportOf } from "../../packages/cli/src/runs/report.ts";
import type { RunResult } from "../../packages/cli/src/runs/result.ts";
import { exitCodeOf, requirementOf } from "../../packages/cli/src/runs/requirement.ts";
import { resultText } from "../../packages/cli/src/runs/result-text.ts";
import { aGrade, aResult, aSimulation } from "../support/run-result.ts";
import { unknownId } from "../support/world.ts";
import { parseXml } from "../support/xml.ts";

const MARKS = ["\0", "\b", "\u001b", "\uffff", "\ud800", "]]>", "&amp;", "<", '"', "\r\n", "\t", "%", "::", "|"];
const text = () =>
  fc
    .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 8 })
    .map((parts) => parts.join(""));
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
      "7 of 8 behaviors were not graded. Set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL at the service, or write them as checks (docs/behaviors.md).";
    expect(suite!.children.at(-1)).toMatchObject({ name: "system-out", text: remedy });
    for (const text of [
      xml,
      summaryOf(result).replaceAll("\\", ""),
      annotationsOf(result).join("\n"),
      resultText(result),
    ]) {
      expect(text.split("SVC_LLM_BASE_URL")).toHaveLength(2);
      expect(text).toContain("7 of 8 behaviors were not graded");
    }
    expect(reportOf(result, EVERY_ITERATION).notices).toEqual([remedy]);
  });

  test("a JUnit report has no passing case for a test with a canceled iteration, also when enough others passed", () => {
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
      fc.property(text(), text(), text(), fc.constantFrom(...VERDICTS), (testName, reason, quote, verdict) => {
        const grades = [aGrade({ verdict, reason, evidence: [{ turn: 0, quote, toolCall: null }] })];
        const suites = parseXml(
          junitOf(all(aResult([aSimulation(verdict, { testName, grades })], { name: reason, agentName: quote }))),
        );
        const testCase = suites.children[0]!.children.find(({ name }) => name === "testcase")!;
        const writable = testName.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
        expect(testCase.attributes.classname).toBe(writable);
      }),
    );
  });
});

test("a note of the run is in every report, and does not change the outcome", () => {
  const note = "The conversation has 1 span, none from the agent's worker so far.";
  const result = aResult([aSimulation("passed")], { notes: [note] });
  expect(reportOf(result, EVERY_ITERATION)).toMatchObject({ outcome: "passed", notices: [note] });
  for (const text of [resultText(result), junitOf(all(result)), summaryOf(result), ...annotationsOf(result)])
    expect(text).toContain("none from the agent's worker so far");
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
      .sample(text(), 20)
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

const VERDICT_OF = { P: "passed", F: "failed", U: "inconclusive", N: "not_graded", E: "errored", X: null } as const;

/** Returns the iterations of one test with these verdicts, one letter for each. */
function iterations(letters: string, testName = "Books a room") {
  return [...letters].map((letter, index) =>
    aSimulation(VERDICT_OF[letter as keyof typeof VERDICT_OF], {
      id: `sim_${testName}${index}`,
      testName,
      testId: `tst_${testName}`,
      testVersionId: `tstv_${testName}`,
      iteration: index + 1,
    }),
  );
}

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
      expect.stringMatching(/^1 of 9 behaviors was not graded\. Set SVC_LLM.*, or write it as a check/),
      expect.stringMatching(/^1 of 9 behaviors was not graded, because no grader that counts looks at them\. Run `svc/),
      "1 of 9 behaviors was not graded, because the sentence cannot be read. Each reason names the remedy.",
      "1 of 9 behaviors was not graded, because the agent said nothing.",
      "1 of 9 behaviors was inconclusive. Each reason names the missing evidence.",
      expect.stringMatching(/^Without a judge these graders decide nothing: Calm\. Set SVC_LLM/),
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
