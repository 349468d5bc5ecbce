import { argument, command, yesFlag } from "../../command.ts";
import { testIdOf } from "../../names.ts";

export default command({
  description: "Its versions and run history stay readable. Asks first.",
  examples: [
    '<%= config.bin %> tests delete "Books a slot"',
    "<%= config.bin %> tests delete tst_06ft2v8xk3n9q4w7r1y5z0abcd --yes",
  ],
  args: { test: argument("Id or exact name.") },
  flags: { yes: yesFlag() },
  async run(call) {
    const connection = await call.connect();
    const { client, project } = connection;
    const testId = await testIdOf(connection, call.args.test);
    const test = await client.tests.get({ testId, project });
    await call.confirm(`Delete the test "${test.name}"?`);
    await client.tests.delete({ testId, project });
    return { deleted: test };
  },
  show: ({ deleted }) => `Deleted the test "${deleted.name}" (${deleted.id}).`,
});
