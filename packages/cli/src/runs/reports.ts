import { stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Flags } from "@oclif/core";
import { usage } from "../refusal.ts";
import { reportToGitHub, summaryOf } from "./github.ts";
import { type JudgedResult, junitOf, type UngradedElement } from "./junit.ts";
import { reportOf, type RunReport } from "./report.ts";
import { requirementOf } from "./requirement.ts";
import { resultText } from "./result-text.ts";
import type { RunResult } from "./result.ts";

export const EXIT_TEXT =
  "A simulation passes only when every expected behavior was decided and passed. The exit code is 0 when every simulation passed, 1 when one failed, and 2 when none failed but one has no verdict because it is inconclusive, not graded, errored or canceled. With --require, each test passes when that share of its iterations passed; an undecided iteration counts as not passed, and the exit code is 2 when only undecided iterations keep a test from passing. The exit code is 3 for a wrong command line, a refusal or an unreachable service, and 130 after an interrupt.";

type ReportFlags = {
  markdown?: string | undefined;
  junit?: string | undefined;
  "junit-ungraded"?: UngradedElement | undefined;
  require?: string | undefined;
  each?: boolean | undefined;
};

export const reportFlags = () => ({
  markdown: Flags.string({
    description:
      "Write the result as a Markdown table to this file, for a comment on a pull request. A job of GitHub Actions gets the table in its summary without this flag.",
    helpValue: "<file>",
  }),
  junit: Flags.string({ description: "Write a JUnit report to this file.", helpValue: "<file>" }),
  "junit-ungraded": Flags.option({
    options: ["error", "skipped"] as const,
    description:
      "Element of the JUnit report for a simulation without a decided verdict. Many CI systems show `skipped` as green. Default: error.",
  })(),
  require: Flags.string({
    description:
      "Share of the iterations of each test that must pass, as 4/5 or 80%. An undecided iteration counts as not passed. Default: all.",
    helpValue: "<share>",
  }),
  each: Flags.boolean({ description: "Show a line for each simulation in place of one for each test." }),
});

export async function writeReports(result: RunResult, flags: ReportFlags): Promise<RunReport> {
  const [report] = await writeAllReports([{ result, requirement: requirementOf(flags.require) }], flags);
  return report!;
}

/** Writes all runs into the same files. */
export async function writeAllReports(all: readonly JudgedResult[], flags: ReportFlags): Promise<RunReport[]> {
  const { junit, markdown } = flags;
  if (junit !== undefined) await writeReport(junit, junitOf(all, flags["junit-ungraded"]));
  if (markdown !== undefined)
    await writeReport(markdown, all.map(({ result, requirement }) => summaryOf(result, requirement)).join(""));
  for (const { result, requirement } of all) await reportToGitHub(result, requirement);
  return all.map(({ result, requirement }) => reportOf(result, requirement));
}

/** Throws when the folder of a report does not exist. Call it before the run starts, because a run can cost money. */
export async function refuseLostReports({ junit, markdown }: ReportFlags): Promise<void> {
  for (const path of [junit, markdown]) {
    if (path === undefined) continue;
    const folder = dirname(path);
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory())
      throw usage(`${path} cannot be written: there is no folder ${folder}. Name a file in an existing folder.`);
  }
}

async function writeReport(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be written (${error.code}). Name a file in an existing folder.`);
  });
}

export const reportText = (report: RunReport, { each = false }: ReportFlags): string =>
  resultText(report, { requirement: requirementOf(report.requirement ?? undefined), each });
