import { argument, command } from "../../command.ts";
import { agentIdOf } from "../../names.ts";

export default command({
  examples: ['<%= config.bin %> agents rename "Front desk" Reception'],
  args: {
    agent: argument("Id or exact name."),
    name: argument("The new name, unique among the project's live agents."),
  },
  async run({ args: { agent, name }, connect }) {
    const connection = await connect();
    const agentId = await agentIdOf(connection, agent);
    return (await connection.client.agents.edit({ agentId, name, projectId: connection.project })).agent;
  },
  show: ({ id, name }) => `The agent ${id} is now "${name}".`,
});
