import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { contentOf } from "../../input.ts";
import { contentFlags, readMockTools, scenarioFlag, writtenText } from "../../test-content.ts";

export default command({
  summary: "Create a test",
  examples: [
    '<%= config.bin %> tests create --name "Books a slot" --scenario "Ada wants Monday at ten." --behavior "Offers a free slot." --behavior "Repeats the booking."',
    '<%= config.bin %> tests create --name Refund --scenario @refund.txt --behavior "Asks for the order number." --mock-tools @tools.json --suite Orders',
  ],
  flags: {
    name: Flags.string({ description: "Name of the test, unique among the tests of the project.", required: true }),
    scenario: Flags.string({ ...scenarioFlag, required: true }),
    ...contentFlags(),
    suite: Flags.string({ description: 'Id or exact name of the suite. Default: the suite "Default".' }),
  },
  async run({ startSession, flags }) {
    const scenario = await contentOf(flags.scenario);
    const mock_tools = flags["mock-tools"] === undefined ? undefined : await readMockTools(flags["mock-tools"]);
    const { client, projectId: project } = await startSession();
    const { name, suite, persona: personas, behavior: expected_behaviors = [] } = flags;
    return client.tests.create({ name, scenario, expected_behaviors, personas, mock_tools, suite, project });
  },
  show: (test) => writtenText("Created", test),
});
