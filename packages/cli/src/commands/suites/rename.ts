import { argument, command } from "../../command.ts";
import { suiteIdOf } from "../../names.ts";

export default command({
  examples: ['<%= config.bin %> suites rename Booking "Booking by phone"'],
  args: { suite: argument("Id or exact name."), name: argument("The new name, unique in the project.") },
  async run({ args, connect }) {
    const connection = await connect();
    const suiteId = await suiteIdOf(connection, args.suite);
    return (await connection.client.suites.edit({ suiteId, name: args.name, projectId: connection.project })).testSuite;
  },
  show: ({ id, name }) => `The suite ${id} is now "${name}".`,
});
