import { argument, command } from "../../command.ts";
import { simulationText } from "../../runs/simulation-text.ts";

export default command({
  description:
    "Turns and tool calls are counted from 0, as verdicts name them. → is a tool call, ← is what it was answered.",
  examples: ["<%= config.bin %> simulations show sim_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the simulation, from `svc runs show`.") },
  async run({ args, connect }) {
    const { client, project: projectId } = await connect();
    return (await client.simulations.get({ simulationId: args.id, projectId })).simulation;
  },
  show: simulationText,
});
