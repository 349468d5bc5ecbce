import { writeFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { usage } from "../refusal.ts";
import { tellGitHub } from "./github.ts";
import { junitOf } from "./junit.ts";
import type { RunResult } from "./result.ts";

/** For the description of commands whose exit code is the verdict. */
export const EXIT_TEXT =
  "Ends with 0 when every simulation passed, 1 when one failed, 2 when none failed and one has no verdict (errored, inconclusive, not graded, canceled), 3 for a wrong command line, a refusal or a service out of reach, and 130 when it is interrupted.";

export const reportFlags = () => ({
  junit: Flags.string({ description: "Write a JUnit report to this file.", helpValue: "<file>" }),
});

/** Writes what was asked for, and what a job of GitHub Actions shows by itself. */
export async function writeReports(result: RunResult, { junit }: { junit?: string | undefined }): Promise<void> {
  if (junit !== undefined) {
    await writeFile(junit, junitOf(result)).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${junit} cannot be written (${error.code}): name a file in a folder that is there.`);
    });
  }
  await tellGitHub(result);
}
