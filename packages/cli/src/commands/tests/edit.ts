import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { contentOf } from "../../input.ts";
import { testIdOf } from "../../names.ts";
import { usage } from "../../refusal.ts";
import { explainStale } from "../../stale-edit.ts";
import { contentFlags, mockToolsOf, scenarioFlag, versionText } from "../../test-content.ts";

export default command({
  description:
    "Changes what is given and keeps the rest; a change of content makes the next version. --behavior and --persona replace the whole list. With --expected-version the edit is refused when someone was faster.",
  examples: [
    '<%= config.bin %> tests edit "Books a slot" --name "Books a slot by phone"',
    "<%= config.bin %> tests edit tst_06ft2v8xk3n9q4w7r1y5z0abcd --scenario @scenario.txt --no-personas",
  ],
  args: { test: argument("Id or exact name.") },
  flags: {
    name: Flags.string({ description: "Unique among the project's tests." }),
    scenario: Flags.string(scenarioFlag),
    ...contentFlags(),
    "no-personas": Flags.boolean({ description: "Back to the project's default persona.", exclusive: ["persona"] }),
    "expected-version": Flags.string({
      description: "Id of the version that the edit builds on; default: the current one.",
      helpValue: "<tstv_…>",
    }),
  },
  async run({ args, connect, flags }) {
    const changes = {
      name: flags.name,
      scenario: flags.scenario === undefined ? undefined : await contentOf(flags.scenario),
      expected_behaviors: flags.behavior,
      personas: flags["no-personas"] ? [] : flags.persona,
      mock_tools: flags["mock-tools"] === undefined ? undefined : await mockToolsOf(flags["mock-tools"]),
    };
    if (Object.values(changes).every((change) => change === undefined)) {
      throw usage("Name what to change: --name, --scenario, --behavior, --persona, --no-personas or --mock-tools.");
    }
    const connection = await connect();
    const { client, project } = connection;
    const testId = await testIdOf(connection, args.test);
    const expected_version_id = flags["expected-version"] ?? (await client.tests.get({ testId, project })).version_id;
    try {
      return await client.tests.edit({ testId, expected_version_id, project, ...changes });
    } catch (error) {
      throw explainStale(error, "test", testId);
    }
  },
  show: (test) => `Now ${versionText(test)}`,
});
