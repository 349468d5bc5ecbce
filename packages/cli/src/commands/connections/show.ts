import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { connectionText } from "../../agents/connection-text.ts";
import { connectionIdsOf } from "../../look-up.ts";

export default command({
  summary: "Show a connection",
  examples: ['<%= config.bin %> connections show "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  async run({ args, startSession }) {
    const session = await startSession();
    const ids = await connectionIdsOf(session, args);
    return (await session.client.connections.get(ids)).connection;
  },
  show: connectionText,
});
