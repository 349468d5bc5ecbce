import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf, isId } from "../../look-up.ts";
import { facts, paint } from "../../terminal/output.ts";
import { contentText } from "../../authoring/test-content.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "Show a test or one of its versions",
  examples: [
    '<%= config.bin %> tests show "Books a slot"',
    "<%= config.bin %> tests show tstv_06ft2v8xk3n9q4w7r1y5z0abcd",
  ],
  args: { test: argument("Id or exact name of the test, or id of one of its versions (tstv_…).") },
  async run({ args: { test }, startSession }) {
    const session = await startSession();
    const { client, projectId: project } = session;
    if (isId("tstv", test)) return client.tests.version({ versionId: test, project });
    return client.tests.get({ testId: await idOf(session, "test", test), project });
  },
  show(test) {
    const title =
      "test_id" in test
        ? `${paint.bold(test.test_name)}  version ${test.version}${test.current ? ", current" : ", not current"}, created ${ago(test.created_at)}\n${test.test_id}  ${test.id}`
        : `${paint.bold(test.name)}  version ${test.version}, edited ${ago(test.updated_at)}\n${test.id}  ${test.version_id}  suite ${test.suite_id}`;
    const tags = "tags" in test && test.tags.length > 0 ? `\n${facts([["Tags", test.tags.join(", ")]])}` : "";
    return `${title}\n\n${contentText(test)}${tags}`;
  },
});
