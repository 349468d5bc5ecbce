import { argument, command } from "../../command.ts";
import { credentialText } from "../../connection-text.ts";
import { connectionIdsOf } from "../../names.ts";

export default command({
  description: "With the credential that it had. An archived agent is restored first.",
  examples: ['<%= config.bin %> connections restore "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd'],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id, or exact name of an archived one."),
  },
  async run({ args, connect }) {
    const connection = await connect();
    const ids = await connectionIdsOf(connection, args, { archived: true });
    return (await connection.client.connections.restore(ids)).connection;
  },
  show: (connection) =>
    `The connection "${connection.name}" (${connection.id}) is live; credential ${credentialText(connection)}.`,
});
