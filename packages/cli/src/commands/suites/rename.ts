import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Rename a test suite",
  examples: ['<%= config.bin %> suites rename Booking "Booking by phone"'],
  args: { suite: argument("Id or exact name of the suite."), name: argument("New name, unique in the project.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const suiteId = await idOf(session, "suite", args.suite);
    return (await session.client.suites.edit({ suiteId, name: args.name, projectId: session.projectId })).testSuite;
  },
  show: ({ id, name }) => `The suite ${id} is now "${name}".`,
});
