import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { comparisonText } from "../../runs/comparison-text.ts";

export default command({
  summary: "Compare two runs",
  description:
    "Names what differs between the runs besides the agent. Then reports which differences in the pass rates, in each test and in latency are more than chance. Undecided simulations count as not passed, and errors do not count. The command compares two runs, not two agents.",
  examples: ["<%= config.bin %> runs compare run_06ft2v8xk3n9q4w7r1y5z0abcd run_06ft2v9b1m2n3p4q5r6s7t8v9w"],
  args: {
    first: argument("Id of the earlier run, from `svc runs list`."),
    second: argument("Id of the later run, from `svc runs list`."),
  },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.runs.compare({ runId: args.first, with: args.second, projectId })).comparison;
  },
  show: comparisonText,
});
