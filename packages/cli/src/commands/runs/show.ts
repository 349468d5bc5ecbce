import { argument, command } from "../../command.ts";
import { reportFlags, writeReports } from "../../runs/reports.ts";
import { resultOf } from "../../runs/result.ts";
import { resultText } from "../../runs/result-text.ts";

export default command({
  description: "Ends with 0 whatever the verdicts are; `svc runs watch` ends with the verdict.",
  examples: [
    "<%= config.bin %> runs show run_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> runs show run_06ft2v8xk3n9q4w7r1y5z0abcd --junit result.xml",
  ],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  flags: reportFlags(),
  async run({ args, connect, flags }) {
    const result = await resultOf(await connect(), args.id);
    await writeReports(result, flags);
    return result;
  },
  show: resultText,
});
