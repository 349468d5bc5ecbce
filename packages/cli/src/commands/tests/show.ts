import { argument, command } from "../../command.ts";
import { isId, testIdOf } from "../../names.ts";
import { paint } from "../../output.ts";
import { contentText } from "../../test-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: [
    '<%= config.bin %> tests show "Books a slot"',
    "<%= config.bin %> tests show tstv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { test: argument("Id or exact name of a test, or id of one of its versions (tstv_…).") },
  async run({ args: { test }, connect }) {
    const connection = await connect();
    const { client, project } = connection;
    if (isId("tstv", test)) return client.tests.version({ versionId: test, project });
    return client.tests.get({ testId: await testIdOf(connection, test), project });
  },
  show(test) {
    const title =
      "test_id" in test
        ? `${paint.bold(test.test_name)}  version ${test.version}${test.current ? ", current" : ", not current"}, made ${ago(test.created_at)}\n${test.test_id}  ${test.id}`
        : `${paint.bold(test.name)}  version ${test.version}, edited ${ago(test.updated_at)}\n${test.id}  ${test.version_id}  suite ${test.suite_id}`;
    return `${title}\n\n${contentText(test)}`;
  },
});
