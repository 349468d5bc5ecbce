import { argument, command } from "../../command.ts";
import { connectionText } from "../../connection-text.ts";
import { connectionIdsOf } from "../../names.ts";

export default command({
  examples: ['<%= config.bin %> connections show "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id, or exact name of a live one."),
  },
  async run({ args, connect }) {
    const connection = await connect();
    const ids = await connectionIdsOf(connection, args);
    return (await connection.client.connections.get(ids)).connection;
  },
  show: connectionText,
});
