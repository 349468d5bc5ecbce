import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { counted } from "../../terminal/output.ts";

export default command({
  summary: "Delete a test suite and its tests",
  description: "Deletes the tests of the suite too. Their versions and past runs stay readable. Asks for confirmation.",
  examples: ["<%= config.bin %> suites delete Booking", "<%= config.bin %> suites delete Booking --yes"],
  args: { suite: argument("Id or exact name of the suite.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const suiteId = await idOf(session, "suite", invocation.args.suite);
    const { testSuite: suite } = await client.suites.get({ suiteId, projectId });
    await invocation.confirm(`Delete the suite "${suite.name}" with ${counted(suite.testCount, "test")}?`);
    await client.suites.delete({ suiteId, projectId });
    return { deleted: suite };
  },
  show: ({ deleted }) => `Deleted the suite "${deleted.name}" with ${counted(deleted.testCount, "test")}.`,
});
