import { argument, command } from "../../command.ts";
import { paint } from "../../output.ts";
import { contentText } from "../../test-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: [
    "<%= config.bin %> tests show tst_06ft2v8xk3n9q4w7r1y5z0abcd",
    "<%= config.bin %> tests show tstv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { id: argument("Id of a test (tst_…) or of one of its versions (tstv_…).") },
  async run({ args: { id }, connect }) {
    const { client, project } = await connect();
    return id.startsWith("tstv_")
      ? client.tests.version({ versionId: id, project })
      : client.tests.get({ testId: id, project });
  },
  show(test) {
    const title =
      "test_id" in test
        ? `${paint.bold(test.test_name)}  version ${test.version}${test.current ? ", current" : ", not current"}, made ${ago(test.created_at)}\n${test.test_id}  ${test.id}`
        : `${paint.bold(test.name)}  version ${test.version}, edited ${ago(test.updated_at)}\n${test.id}  ${test.version_id}  suite ${test.suite_id}`;
    return `${title}\n\n${contentText(test)}`;
  },
});
