import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { EXIT_TEXT, reportFlags, reportText, writeReports } from "../../runs/reports.ts";
import { exitCodeOf, requirementOf } from "../../runs/requirement.ts";
import { interruptible, watchRun } from "../../runs/watch.ts";

export default command({
  summary: "Wait for a run and report the verdict",
  description: `Ctrl-C ends the wait, and the run continues. ${EXIT_TEXT}`,
  examples: ["<%= config.bin %> runs watch run_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: reportFlags(),
  async run(invocation) {
    requirementOf(invocation.flags.require); // Throws for a wrong share before the wait.
    const session = await invocation.startSession();
    const { run } = await session.client.runs.get({ runId: invocation.args.id, projectId: session.projectId });
    const result = await interruptible((signal) => watchRun(invocation, session, run, { signal }));
    return writeReports(result, invocation.flags);
  },
  show: (report, { flags }) => reportText(report, flags),
  exitCode: ({ outcome }) => exitCodeOf(outcome),
  exitCodeIsVerdict: true,
});
