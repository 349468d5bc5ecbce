import { appendFile } from "node:fs/promises";
import { clean } from "../terminal-text.ts";
import { whyNotPassed } from "./junit.ts";
import { type RunResult, runName, titled } from "./result.ts";
import { countsText, passRateText, verdictWords } from "./verdicts.ts";

/** A step shows so many; the others stand in its summary. */
const ANNOTATIONS_MAX = 10;
const ROWS_MAX = 200;

/** For a job of GitHub Actions: an annotation for each simulation that did not pass, and a table in the step's summary. */
export async function tellGitHub(
  result: RunResult,
  { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY }: Record<string, string | undefined> = process.env,
): Promise<void> {
  if (GITHUB_ACTIONS !== "true") return;
  for (const line of annotationsOf(result)) process.stderr.write(`${line}\n`);
  if (GITHUB_STEP_SUMMARY) await appendFile(GITHUB_STEP_SUMMARY, summaryOf(result));
}

export function annotationsOf(result: RunResult): string[] {
  return titled(result)
    .filter(({ simulation }) => simulation.verdict !== "passed")
    .sort((a, b) => Number(b.simulation.verdict === "failed") - Number(a.simulation.verdict === "failed"))
    .slice(0, ANNOTATIONS_MAX)
    .map(({ title, simulation }) => {
      const { summary, details } = whyNotPassed(simulation);
      const level = simulation.verdict === "failed" ? "error" : "warning";
      return `::${level} title=${escapedProperty(title)}::${escapedData(`${summary}\n${details}`)}`;
    });
}

export function summaryOf(result: RunResult): string {
  const { run } = result;
  const rows = titled(result);
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

// What a command of the job's log may not hold as it is.
const escapedData = (text: string) =>
  clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapedProperty = (text: string) => escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Text that Markdown shows as it is, on one line. */
const cell = (text: string) =>
  clean(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|`*_[\]<>#~!]/g, (mark) => `\\${mark}`)
    .replaceAll("\\<", "&lt;")
    .replaceAll("\\>", "&gt;");
