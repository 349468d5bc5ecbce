import { argument, command } from "../../command.ts";
import { EXIT_TEXT, reportFlags, writeReports } from "../../runs/reports.ts";
import { resultText } from "../../runs/result-text.ts";
import { exitCodeOf } from "../../runs/verdicts.ts";
import { watchRun } from "../../runs/watch.ts";

export default command({
  description: `Ctrl-C ends the wait, and the run goes on. ${EXIT_TEXT}`,
  examples: ["<%= config.bin %> runs watch run_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: reportFlags(),
  async run(call) {
    const connection = await call.connect();
    const { run } = await connection.client.runs.get({ runId: call.args.id, projectId: connection.project });
    const result = await watchRun(call, connection, run);
    await writeReports(result, call.flags);
    return result;
  },
  show: resultText,
  exitCode: ({ run }) => exitCodeOf(run),
});
