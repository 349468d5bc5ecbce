import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { connectionIdsOf } from "../../look-up.ts";

export default command({
  summary: "Archive a connection",
  description:
    "The service keeps the sealed credential, so that the connection can be restored. Asks for confirmation.",
  examples: ['<%= config.bin %> connections archive "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --yes'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client } = session;
    const ids = await connectionIdsOf(session, invocation.args);
    const { connection } = await client.connections.get(ids);
    await invocation.confirm(`Archive the connection "${connection.name}"?`);
    return (await client.connections.archive(ids)).connection;
  },
  show: ({ name, id, agentId }) =>
    `Archived "${name}" (${id}). To restore it: svc connections restore ${agentId} ${id}`,
});
