import { argument, command, yesFlag } from "../../command.ts";
import { suiteIdOf } from "../../names.ts";
import { counted } from "../../output.ts";

export default command({
  description: "Deletes its tests too; their versions and run history stay readable. Asks first.",
  examples: ["<%= config.bin %> suites delete Booking", "<%= config.bin %> suites delete Booking --yes"],
  args: { suite: argument("Id or exact name.") },
  flags: { yes: yesFlag() },
  async run(call) {
    const connection = await call.connect();
    const { client, project: projectId } = connection;
    const suiteId = await suiteIdOf(connection, call.args.suite);
    const { testSuite: suite } = await client.suites.get({ suiteId, projectId });
    await call.confirm(`Delete the suite "${suite.name}" with ${counted(suite.testCount, "test")}?`);
    await client.suites.delete({ suiteId, projectId });
    return { deleted: suite };
  },
  show: ({ deleted }) => `Deleted the suite "${deleted.name}" with ${counted(deleted.testCount, "test")}.`,
});
