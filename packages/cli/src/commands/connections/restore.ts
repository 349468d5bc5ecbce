import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { credentialText } from "../../agents/connection-text.ts";
import { connectionIdsOf } from "../../look-up.ts";

export default command({
  summary: "Restore an archived connection",
  description: "The connection keeps its credential. When its agent is archived, restore the agent first.",
  examples: ['<%= config.bin %> connections restore "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the archived connection."),
  },
  async run({ args, startSession }) {
    const session = await startSession();
    const ids = await connectionIdsOf(session, args, { archived: true });
    return (await session.client.connections.restore(ids)).connection;
  },
  show: (connection) =>
    `The connection "${connection.name}" (${connection.id}) is live; credential ${credentialText(connection)}.`,
});
