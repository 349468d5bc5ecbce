import { argument, command, yesFlag } from "../../command.ts";
import { connectionIdsOf } from "../../names.ts";

export default command({
  description: "Its sealed credential is kept for a restore. Asks first.",
  examples: ['<%= config.bin %> connections archive "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --yes'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  flags: { yes: yesFlag() },
  async run(call) {
    const connection = await call.connect();
    const { client } = connection;
    const ids = await connectionIdsOf(connection, call.args);
    const { connection: found } = await client.connections.get(ids);
    await call.confirm(`Archive the connection "${found.name}"?`);
    return (await client.connections.archive(ids)).connection;
  },
  show: ({ name, id, agentId }) =>
    `Archived "${name}" (${id}). Bring it back: svc connections restore ${agentId} ${id}`,
});
