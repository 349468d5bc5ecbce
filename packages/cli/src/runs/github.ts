import { appendFile } from "node:fs/promises";
import { clean } from "../terminal/terminal-text.ts";
import { whyNotPassed } from "./junit.ts";
import { noticesOf, noticesOfRun } from "./notices.ts";
import { EVERY_ITERATION, type Requirement } from "@svc/contract/constants";
import { outcomeOfTest } from "./requirement.ts";
import { type RunResult, runName } from "./result.ts";
import { type TestResult, testResults } from "./test-results.ts";
import { countsText, passRateText, resultWords } from "./verdicts.ts";

/** Maximum number of annotations that GitHub shows for a step. */
const ANNOTATIONS_MAX = 10;
const ROWS_MAX = 200;

/** Does nothing outside of GitHub Actions. */
export async function reportToGitHub(
  result: RunResult,
  requirement: Requirement,
  { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY }: Record<string, string | undefined> = process.env,
): Promise<void> {
  if (GITHUB_ACTIONS !== "true") return;
  for (const line of annotationsOf(result, requirement)) process.stderr.write(`${line}\n`);
  if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, summaryOf(result, requirement));
}

/**
 * Returns annotations: first for tests that failed, then for the notices, then for other tests that did not pass. A test that is only
 * `not_graded` gets no annotation, because a notice already explains it.
 */
export function annotationsOf(result: RunResult, requirement: Requirement = EVERY_ITERATION): string[] {
  const tests = testResults(result).map((test) => ({ test, outcome: outcomeOfTest(test, requirement) }));
  const notices = [
    ...(result.run.notes ?? []).map((note) => annotation("warning", "Run", note)),
    ...noticesOf(result.simulations).map((notice) => annotation("warning", "Undecided", notice)),
  ];
  const failed = tests.filter(({ outcome }) => outcome === "failed").map(({ test }) => ofTest("error", test));
  const others = tests
    .filter(({ test, outcome }) => outcome === "undecided" && !isNotGraded(test))
    .map(({ test }) => ofTest("warning", test));
  const shown = failed.slice(0, Math.max(1, ANNOTATIONS_MAX - notices.length));
  return [...shown, ...notices, ...others].slice(0, ANNOTATIONS_MAX);

  function ofTest(level: string, test: TestResult): string {
    const { summary, details } = whyNotPassed(test, requirement);
    return annotation(level, test.title, `${summary}\n${details}`);
  }
}

const isNotGraded = ({ simulations }: TestResult) =>
  simulations.every(({ verdict }) => verdict === "passed" || verdict === "not_graded");

const annotation = (level: string, title: string, text: string) =>
  `::${level} title=${escapedProperty(title)}::${escapedData(text)}`;

export function summaryOf(result: RunResult, requirement: Requirement = EVERY_ITERATION): string {
  const { run, page } = result;
  const tests = testResults(result);
  const cells = tests.slice(0, ROWS_MAX).map((test) => {
    const why = outcomeOfTest(test, requirement) === "passed" ? "" : whyNotPassed(test, requirement).summary;
    return `| ${[resultWords(test, requirement), test.title, why].map(cell).join(" | ")} |`;
  });
  const rate = passRateText(run);
  const notices = noticesOfRun(result).map((notice) => `- ${cell(notice)}`);
  if (run.allowUngraded) notices.push("- The run allows ungraded behaviors.");
  return [
    `### ${cell(runName(run))}`,
    "",
    `${countsText(run)}${rate === undefined ? "" : `; pass rate ${rate}`}${page === null ? "" : `; [page of the run](${page})`}`,
    "",
    ...(notices.length > 0 ? [...notices, ""] : []),
    "| verdict | test | why |",
    "| --- | --- | --- |",
    ...cells,
    ...(tests.length > ROWS_MAX ? ["", `And ${tests.length - ROWS_MAX} more.`] : []),
    "",
    "",
  ].join("\n");
}

// Escapes a text for GitHub's workflow commands.
const escapedData = (text: string) =>
  clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapedProperty = (text: string) => escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

const cell = (text: string) =>
  clean(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|`*_[\]<>#~!]/g, (mark) => `\\${mark}`)
    .replaceAll("\\<", "&lt;")
    .replaceAll("\\>", "&gt;");
