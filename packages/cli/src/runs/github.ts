import { appendFile } from "node:fs/promises";
import { clean } from "../terminal-text.ts";
import { whyNotPassed } from "./junit.ts";
import { type RunResult, runName, titledSimulations } from "./result.ts";
import { countsText, passRateText, verdictWords } from "./verdicts.ts";

/** GitHub shows this many annotations of a step; the summary has all. */
const ANNOTATIONS_MAX = 10;
const ROWS_MAX = 200;

/** Prints annotations and appends a table to the step's summary; does nothing outside of a job of GitHub Actions. */
export async function reportToGitHub(
  result: RunResult,
  { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY }: Record<string, string | undefined> = process.env,
): Promise<void> {
  if (GITHUB_ACTIONS !== "true") return;
  for (const line of annotationsOf(result)) process.stderr.write(`${line}\n`);
  if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, summaryOf(result));
}

/** Returns an annotation for each simulation that did not pass, failures first. */
export function annotationsOf(result: RunResult): string[] {
  return titledSimulations(result)
    .filter(({ simulation }) => simulation.verdict !== "passed")
    .sort((a, b) => Number(b.simulation.verdict === "failed") - Number(a.simulation.verdict === "failed"))
    .slice(0, ANNOTATIONS_MAX)
    .map(({ title, simulation }) => {
      const { summary, details } = whyNotPassed(simulation);
      const level = simulation.verdict === "failed" ? "error" : "warning";
      return `::${level} title=${escapedProperty(title)}::${escapedData(`${summary}\n${details}`)}`;
    });
}

/** Returns the run as a Markdown table. */
export function summaryOf(result: RunResult): string {
  const { run } = result;
  const rows = titledSimulations(result);
  const cells = rows.slice(0, ROWS_MAX).map(({ title, simulation }) => {
    const why = simulation.verdict === "passed" ? "" : whyNotPassed(simulation).summary;
    return `| ${[verdictWords(simulation.verdict), title, why].map(cell).join(" | ")} |`;
  });
  const rate = passRateText(run);
  return [
    `### ${cell(runName(run))}`,
    "",
    `${countsText(run)}${rate === undefined ? "" : `; pass rate ${rate}`}`,
    "",
    "| verdict | test | why |",
    "| --- | --- | --- |",
    ...cells,
    ...(rows.length > ROWS_MAX ? ["", `And ${rows.length - ROWS_MAX} more.`] : []),
    "",
    "",
  ].join("\n");
}

// Escapes for the commands in a job's log.
const escapedData = (text: string) =>
  clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapedProperty = (text: string) => escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Escapes a text for one cell of a Markdown table. */
const cell = (text: string) =>
  clean(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|`*_[\]<>#~!]/g, (mark) => `\\${mark}`)
    .replaceAll("\\<", "&lt;")
    .replaceAll("\\>", "&gt;");
