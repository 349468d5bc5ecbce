import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Delete a test",
  description: "The versions and past runs of the test stay readable. Asks for confirmation.",
  examples: [
    '<%= config.bin %> tests delete "Books a slot"',
    "<%= config.bin %> tests delete tst_06ft2v8xk3n9q4w7r1y5z0abcd --yes",
  ],
  args: { test: argument("Id or exact name of the test.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId: project } = session;
    const testId = await idOf(session, "test", invocation.args.test);
    const test = await client.tests.get({ testId, project });
    await invocation.confirm(`Delete the test "${test.name}"?`);
    await client.tests.delete({ testId, project });
    return { deleted: test };
  },
  show: ({ deleted }) => `Deleted the test "${deleted.name}" (${deleted.id}).`,
});
