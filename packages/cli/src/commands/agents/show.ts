import { argument, command } from "../../command.ts";
import { agentText } from "../../connection-text.ts";
import { agentIdOf } from "../../names.ts";

export default command({
  examples: ['<%= config.bin %> agents show "Front desk"'],
  args: { agent: argument("Id, or exact name of a live one.") },
  async run({ args, connect }) {
    const connection = await connect();
    const agentId = await agentIdOf(connection, args.agent);
    return (await connection.client.agents.get({ agentId, projectId: connection.project })).agent;
  },
  show: agentText,
});
