import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { reportFlags, reportText, writeReports } from "../../runs/reports.ts";
import { readResult } from "../../runs/result.ts";

export default command({
  summary: "Show a run with its verdicts",
  description: "The exit code is 0 for any verdict. Use `svc runs watch` for an exit code that reports the verdict.",
  examples: [
    "<%= config.bin %> runs show run_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> runs show run_06ft2v8xk3n9q4w7r1y5z0abcd --junit result.xml",
  ],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: reportFlags(),
  async run({ args, startSession, flags }) {
    const result = await readResult(await startSession(), args.id);
    return writeReports(result, flags);
  },
  show: (report, { flags }) => reportText(report, flags),
});
