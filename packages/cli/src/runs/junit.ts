import type { ListedSimulation, Verdict } from "@svc/contract";
import { findingsOf, findingWords } from "./findings.ts";
import { noticesOfRun } from "./notices.ts";
import { EVERY_ITERATION, type Requirement } from "@svc/contract/constants";
import { outcomeOfTest } from "./requirement.ts";
import type { RunResult } from "./result.ts";
import { eachSimulation, type TestResult, testResults } from "./test-results.ts";
import { resultWords, verdictWords } from "./verdicts.ts";

const MESSAGE_CHARACTERS_MAX = 500;

/** JUnit element for a test case without a decision. Many CI systems show `skipped` as green. */
export type UngradedElement = "error" | "skipped";

type CaseElement = "failure" | "error" | "skipped";
type Case = { test: TestResult; element: CaseElement | undefined; type: Verdict | "no verdict" | "undecided" };

export type JudgedResult = { result: RunResult; requirement: Requirement };

/**
 * Formats runs as a JUnit report in the schema of Jenkins (junit-10.xsd), with one test suite per run. The report has a test case for
 * each simulation. When only a share of the iterations must pass, it has a test case for each test instead. The name of a test suite
 * is the name of the run's suite or agent, so that it is the same in each report.
 */
export function junitOf(all: readonly JudgedResult[], ungraded: UngradedElement = "error"): string {
  const suites = all.map(({ result, requirement }) => suiteOf(result, requirement, ungraded));
  const sum = (of: (suite: Suite) => number) => suites.reduce((total, suite) => total + of(suite), 0);
  const counts = attributes({
    tests: sum(({ cases }) => cases.length),
    failures: sum((suite) => countOf(suite, "failure")),
    errors: sum((suite) => countOf(suite, "error")),
    time: seconds(sum(({ durationMs }) => durationMs)),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    ...suites.flatMap(({ lines }) => lines),
    "</testsuites>",
    "",
  ].join("\n");
}

type Suite = { cases: Case[]; durationMs: number; lines: string[] };

const countOf = ({ cases }: Pick<Suite, "cases">, element: CaseElement): number =>
  cases.filter((one) => one.element === element).length;

function suiteOf(result: RunResult, requirement: Requirement, ungraded: UngradedElement): Suite {
  const { run, page } = result;
  const cases =
    requirement === EVERY_ITERATION
      ? eachSimulation(result).map((test) => caseOfSimulation(test, ungraded))
      : testResults(result).map((test) => caseOfTest(test, requirement, ungraded));
  const durationMs = run.endedAt === null ? 0 : Date.parse(run.endedAt) - Date.parse(run.createdAt);
  const counts = attributes({
    tests: cases.length,
    failures: countOf({ cases }, "failure"),
    errors: countOf({ cases }, "error"),
    skipped: countOf({ cases }, "skipped"),
    time: seconds(durationMs),
  });
  const notices = noticesOfRun(result);
  const properties: (readonly [string, string | number])[] = [
    ["run", run.id],
    ...(run.name === null ? [] : ([["run-name", run.name]] as const)),
    ...(page === null ? [] : ([["page", page]] as const)),
    ["agent", run.agentId],
    ["decided-behaviors", run.decidedBehaviors],
    ["undecided-behaviors", run.undecidedBehaviors],
    ["decided-simulations", run.decidedSimulations],
    ["undecided-simulations", run.undecidedSimulations],
    ["errored-simulations", run.erroredVerdicts],
    ["allow-ungraded", String(run.allowUngraded)],
  ];
  if (requirement !== EVERY_ITERATION) properties.push(["require", requirement.text]);
  const lines = [
    `  <testsuite ${attributes({ name: run.suiteName ?? run.agentName, timestamp: run.createdAt })} ${counts}>`,
    ...propertyLines(properties, 4),
    ...cases.map((one) => caseText(one, requirement)),
    ...(notices.length > 0 ? [`    <system-out>${escaped(notices.join("\n"))}</system-out>`] : []),
    "  </testsuite>",
  ];
  return { cases, durationMs, lines };
}

/**
 * Returns the test case of a simulation. An error of the service does not become a `failure` element. A simulation without a
 * decision becomes the element `ungraded`.
 */
function caseOfSimulation(test: TestResult, ungraded: UngradedElement): Case {
  const { verdict } = test.simulations[0]!;
  const elements: Record<Verdict, CaseElement | undefined> = {
    passed: undefined,
    failed: "failure",
    errored: "error",
    inconclusive: ungraded,
    not_graded: ungraded,
  };
  return { test, element: verdict === null ? ungraded : elements[verdict], type: verdict ?? "no verdict" };
}

function caseOfTest(test: TestResult, requirement: Requirement, ungraded: UngradedElement): Case {
  const met = outcomeOfTest(test, requirement);
  // With a canceled iteration, the result of the test is incomplete, so the test does not count as passed.
  const outcome = met === "passed" && test.unfinished > 0 ? "undecided" : met;
  const elements = { passed: undefined, failed: "failure", undecided: ungraded } as const;
  return { test, element: elements[outcome], type: outcome };
}

function caseText({ test, element, type }: Case, requirement: Requirement): string {
  const { title, simulations } = test;
  const durationMs = simulations.reduce((sum, one) => sum + (one.durationMs ?? 0), 0);
  const open = `    <testcase ${attributes({ classname: simulations[0]!.testName, name: title, time: seconds(durationMs) })}`;
  const behaviors = sumOf(simulations, ({ behaviorCount }) => behaviorCount);
  const decided = sumOf(simulations, ({ behaviorsGraded }) => behaviorsGraded);
  const children: string[] = [];
  if (element !== undefined) {
    const { summary, details } = whyNotPassed(test, requirement);
    const message = attributes({ message: summary, ...(element !== "skipped" && { type }) });
    children.push(`      <${element} ${message}>${escaped(details)}</${element}>`);
  }
  if (decided < behaviors)
    children.push(`      <system-out>${decided} of ${behaviors} behaviors were decided.</system-out>`);
  return children.length === 0 ? `${open}/>` : [`${open}>`, ...children, "    </testcase>"].join("\n");
}

export function whyNotPassed(test: TestResult, requirement: Requirement): { summary: string; details: string } {
  const { simulations } = test;
  const findings = findingsOf(simulations);
  const count = simulations.length;
  const verdict = count === 1 ? simulations[0]!.verdict : undefined;
  const first = findings.find((one) => one.verdict === verdict) ?? findings[0];
  const why = first === undefined ? "" : [first.text, ...first.details.slice(0, 1)].join(": ");
  const head = count === 1 ? verdictWords(simulations[0]!.verdict) : resultWords(test, requirement);
  const inWhich = first !== undefined && count > 1 ? `${findingWords(first, count)}: ` : "";
  const details = findings.flatMap((finding) => [
    `${findingWords(finding, count)}: ${finding.text}`,
    ...finding.details.map((line) => `  ${line}`),
    ...(count > 1 ? [`  svc simulations show ${finding.simulationIds[0]}`] : []),
  ]);
  return {
    summary: `${head}: ${inWhich}${why}`.slice(0, MESSAGE_CHARACTERS_MAX),
    details: [...details, ...(count === 1 ? [`svc simulations show ${simulations[0]!.id}`] : [])].join("\n"),
  };
}

const sumOf = (simulations: readonly ListedSimulation[], of: (one: ListedSimulation) => number): number =>
  simulations.reduce((sum, one) => sum + of(one), 0);

function propertyLines(properties: readonly (readonly [string, string | number])[], indent: number): string[] {
  const space = " ".repeat(indent);
  return [
    `${space}<properties>`,
    ...properties.map(([name, value]) => `${space}  <property ${attributes({ name, value })}/>`),
    `${space}</properties>`,
  ];
}

const seconds = (ms: number | null): string => ((ms ?? 0) / 1000).toFixed(3);

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`)
    .join(" ");

// XML cannot contain these control characters, not even escaped. UTF-8 cannot encode lone surrogates.
// oxlint-disable-next-line no-control-regex
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

const escaped = (text: string): string =>
  text.replaceAll(UNWRITABLE, "\ufffd").replaceAll(/[&<>"\r]/g, (mark) => ENTITIES[mark]!);
