import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { withCallerWords } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument, expectedVersionFlag, yesFlag } from "../../flags.ts";
import { contentOf } from "../../terminal/input.ts";
import { idOf } from "../../look-up.ts";
import { isInteractive } from "../../terminal/prompt.ts";
import { usage } from "../../refusal.ts";
import { explainConflict } from "../../authoring/stale-edit.ts";
import { contentFlags, readMockTools, scenarioFlag, writtenText } from "../../authoring/test-content.ts";
import { changesText } from "../../test-files/changes-text.ts";

type TestEdit = Answer<Operations["tests"]["edit"]> & { changes: string[] };

/** When one of these flags is set, no editor opens. */
const CHANGES = ["name", "scenario", "says", "fact", "behavior", "persona", "no-personas", "mock-tools"] as const;

type Changes = Partial<Record<(typeof CHANGES)[number], unknown>>;

const namesNoChange = (flags: Changes): boolean =>
  CHANGES.every((name) => flags[name] === undefined || flags[name] === false);

export default command({
  summary: "Edit a test",
  description:
    "Without flags at a terminal, opens the test in your editor ($VISUAL, else $EDITOR), shows the changes and asks before it sends them. With flags, changes only what they name and shows the changes: --behavior, --says, --fact and --persona replace the whole list. A change of the content creates the next version. With --expected-version, the edit is refused if someone edited the test meanwhile.",
  examples: [
    '<%= config.bin %> tests edit "Books a slot"',
    '<%= config.bin %> tests edit "Books a slot" --behavior "Offers a slot." --behavior "Repeats the booking."',
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
    editor: Flags.boolean({
      description: "Open the test in $VISUAL, else $EDITOR. Default at a terminal without other flags.",
    }),
    yes: yesFlag(),
  },
  async run(invocation): Promise<TestEdit> {
    const { args, startSession, flags } = invocation;
    const { says, fact: facts } = flags;
    const changes = {
      name: flags.name,
      expected_behaviors: flags.behavior,
      personas: flags["no-personas"] ? [] : flags.persona,
      mock_tools: flags["mock-tools"] === undefined ? undefined : await readMockTools(flags["mock-tools"]),
    };
    const newScenario = flags.scenario === undefined ? undefined : await contentOf(flags.scenario);
    const isUnset = namesNoChange(flags);
    if (flags.editor && !isUnset) throw usage("--editor changes the whole test. Remove the other flags, or --editor.");
    if (flags.editor || (isUnset && isInteractive())) {
      const { editInEditor } = await import("../../test-files/edit-in-editor.ts");
      const session = await startSession();
      return editInEditor(invocation, session, await idOf(session, "test", args.test));
    }
    if (isUnset) {
      throw usage(
        "Nothing to change. Set --name, --scenario, --says, --fact, --behavior, --persona, --no-personas, --mock-tools or --editor.",
      );
    }
    const session = await startSession();
    const { client, projectId: project } = session;
    const testId = await idOf(session, "test", args.test);
    const changesCaller = says !== undefined || facts !== undefined;
    const current = await client.tests.get({ testId, project });
    const text = newScenario ?? current.scenario;
    const scenario = changesCaller ? withCallerWords(text, { says, facts }) : newScenario;
    const expected_version_id = flags["expected-version"] ?? current.version_id;
    try {
      const test = await client.tests.edit({ testId, expected_version_id, project, ...changes, scenario });
      const { changesBetween } = await import("../../test-files/content-changes.ts");
      return { ...test, changes: changesBetween(current, test) };
    } catch (error) {
      throw explainConflict(error, "test", testId);
    }
  },
  show({ changes, ...test }, { flags }) {
    if (changes.length === 0) return "The test has this content already. Nothing was changed.";
    // The command has already printed the changes from the editor before the confirmation.
    if (namesNoChange(flags)) return writtenText("Edited", test);
    return `${changesText(changes)}\n\n${writtenText("Edited", test)}`;
  },
});
