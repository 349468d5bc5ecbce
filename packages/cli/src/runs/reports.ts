import { writeFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { usage } from "../refusal.ts";
import { reportToGitHub } from "./github.ts";
import { junitOf } from "./junit.ts";
import type { RunResult } from "./result.ts";

/** Describes the exit codes of commands that report a verdict. */
export const EXIT_TEXT =
  "The exit code is 0 when every simulation passed, 1 when one failed, and 2 when none failed and one is errored, inconclusive, not graded or canceled. It is 3 for a wrong command line, a refusal or an unreachable service, and 130 after an interrupt.";

export const reportFlags = () => ({
  junit: Flags.string({ description: "Write a JUnit report to this file.", helpValue: "<file>" }),
});

/** Writes the JUnit report when the flag names a file, and the reports of a job of GitHub Actions. */
export async function writeReports(result: RunResult, { junit }: { junit?: string | undefined }): Promise<void> {
  if (junit !== undefined) {
    await writeFile(junit, junitOf(result)).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${junit} cannot be written (${error.code}). Name a file in an existing folder.`);
    });
  }
  await reportToGitHub(result);
}
