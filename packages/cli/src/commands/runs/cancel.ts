import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { countsText } from "../../runs/verdicts.ts";

export default command({
  summary: "Cancel a run",
  description:
    "Ends the simulations that are not finished. Existing verdicts stay. Nothing changes when the run has already ended.",
  examples: ["<%= config.bin %> runs cancel run_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.runs.cancel({ runId: args.id, projectId })).run;
  },
  show: (run) => `The run ${run.id} is ${run.status}: ${countsText(run)}.`,
});
