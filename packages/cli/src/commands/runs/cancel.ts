import { argument, command } from "../../command.ts";
import { countsText } from "../../runs/verdicts.ts";

export default command({
  description: "Ends what has not ended; verdicts that were given stay. A run that has ended stays as it is.",
  examples: ["<%= config.bin %> runs cancel run_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the run, from `svc runs list`.") },
  async run({ args, connect }) {
    const { client, project: projectId } = await connect();
    return (await client.runs.cancel({ runId: args.id, projectId })).run;
  },
  show: (run) => `The run ${run.id} is ${run.status}: ${countsText(run)}.`,
});
