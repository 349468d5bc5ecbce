import { argument, command, yesFlag } from "../../command.ts";

export default command({
  description: "Its versions and run history stay readable. Asks first.",
  examples: [
    "<%= config.bin %> tests delete tst_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> tests delete tst_06ft2v8xk3n9q4w7r1y5z0abcd --yes",
  ],
  args: { id: argument("Id of the test, from `svc tests list`.") },
  flags: { yes: yesFlag() },
  async run(call) {
    const testId = call.args.id;
    const { client, project } = await call.connect();
    const test = await client.tests.get({ testId, project });
    await call.confirm(`Delete the test "${test.name}"?`);
    await client.tests.delete({ testId, project });
    return { deleted: test };
  },
  show: ({ deleted }) => `Deleted the test "${deleted.name}" (${deleted.id}).`,
});
