import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { simulationText } from "../../runs/simulation-text.ts";

export default command({
  summary: "Show a simulation with its transcript and grades",
  description:
    "Turns and tool calls are numbered from 0, as in the reasons of grades. → marks a tool call and ← its result.",
  examples: ["<%= config.bin %> simulations show sim_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the simulation, from `svc runs show`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.simulations.get({ simulationId: args.id, projectId })).simulation;
  },
  show: simulationText,
});
