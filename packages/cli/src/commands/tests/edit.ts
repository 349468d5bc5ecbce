import { Flags } from "@oclif/core";
import { withCallerWords } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument, expectedVersionFlag } from "../../flags.ts";
import { contentOf } from "../../input.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { explainConflict } from "../../stale-edit.ts";
import { contentFlags, readMockTools, scenarioFlag, writtenText } from "../../test-content.ts";

export default command({
  summary: "Edit a test",
  description:
    "Changes only what the flags name. A change of the content creates the next version. --behavior, --says, --fact and --persona replace the whole list. With --expected-version, the edit is refused if someone edited the test meanwhile.",
  examples: [
    '<%= config.bin %> tests edit "Books a slot" --name "Books a slot by phone"',
    '<%= config.bin %> tests edit "Books a slot" --says "Monday at ten, please." --says "(when the agent asks /name/) Ada."',
    "<%= config.bin %> tests edit tst_06ft2v8xk3n9q4w7r1y5z0abcd --scenario @scenario.txt --no-personas",
  ],
  args: { test: argument("Id or exact name of the test.") },
  flags: {
    name: Flags.string({ description: "New name, unique among the tests of the project." }),
    scenario: Flags.string(scenarioFlag),
    ...contentFlags(),
    "no-personas": Flags.boolean({ description: "Use the default persona of the project.", exclusive: ["persona"] }),
    "expected-version": expectedVersionFlag("tstv"),
  },
  async run({ args, startSession, flags }) {
    const { says, fact: facts } = flags;
    const changes = {
      name: flags.name,
      expected_behaviors: flags.behavior,
      personas: flags["no-personas"] ? [] : flags.persona,
      mock_tools: flags["mock-tools"] === undefined ? undefined : await readMockTools(flags["mock-tools"]),
    };
    const newScenario = flags.scenario === undefined ? undefined : await contentOf(flags.scenario);
    if ([newScenario, says, facts, ...Object.values(changes)].every((change) => change === undefined)) {
      throw usage(
        "Nothing to change. Set --name, --scenario, --says, --fact, --behavior, --persona, --no-personas or --mock-tools.",
      );
    }
    const session = await startSession();
    const { client, projectId: project } = session;
    const testId = await idOf(session, "test", args.test);
    const changesCaller = says !== undefined || facts !== undefined;
    const current =
      flags["expected-version"] === undefined || (changesCaller && newScenario === undefined)
        ? await client.tests.get({ testId, project })
        : undefined;
    const text = newScenario ?? current?.scenario;
    const scenario = changesCaller ? withCallerWords(text!, { says, facts }) : newScenario;
    const expected_version_id = flags["expected-version"] ?? current!.version_id;
    try {
      return await client.tests.edit({ testId, expected_version_id, project, ...changes, scenario });
    } catch (error) {
      throw explainConflict(error, "test", testId);
    }
  },
  show: (test) => writtenText("Edited", test),
});
