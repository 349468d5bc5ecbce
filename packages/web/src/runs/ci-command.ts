import type { Run } from "@svc/contract";

/** Returns a text as one word of a shell. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Returns the command that plays a run again in a CI job and writes a JUnit report. */
export function ciCommand(run: Run, testIds: readonly string[]): string {
  const tests = run.suiteName === null ? testIds.map((id) => `--test ${id}`) : [`--suite ${quoted(run.suiteName)}`];
  return [
    "npx svc runs start",
    ...tests,
    `--agent ${quoted(run.agentName)} --connection ${run.connectionId}`,
    `--iterations ${run.iterations} --caller ${run.caller}${run.allowUngraded ? " --allow-ungraded" : ""}`,
    "--junit result.xml",
  ].join(" \\\n  ");
}

/** Returns the command that writes the JUnit report of a run that has ended. */
export const reportCommand = (runId: string): string => `npx svc runs show ${runId} --junit result.xml`;
