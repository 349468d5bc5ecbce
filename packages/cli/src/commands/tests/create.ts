import { Flags } from "@oclif/core";
import { withCallerWords } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { contentOf } from "../../terminal/input.ts";
import { callerHint, contentFlags, readMockTools, scenarioFlag, writtenText } from "../../authoring/test-content.ts";

export default command({
  summary: "Create a test",
  examples: [
    '<%= config.bin %> tests create --name "Books a slot" --scenario "Ada wants Monday at ten." --behavior "Offers a free slot." --behavior "Repeats the booking."',
    '<%= config.bin %> tests create --name Refund --scenario @refund.txt --behavior "Asks for the order number." --mock-tools @tools.json --suite Orders',
    '<%= config.bin %> tests create --name "Books a room" --scenario "Ana wants a room." --says "A room for two, please." --says "(after /booked/) Thank you, goodbye." --fact "name = Ana Silva" --behavior "calls book_room with guests=2"',
  ],
  flags: {
    name: Flags.string({ description: "Name of the test, unique among the tests of the project.", required: true }),
    scenario: Flags.string({ ...scenarioFlag, required: true }),
    ...contentFlags(),
    suite: Flags.string({ description: 'Id or exact name of the suite. Default: the suite "Default".' }),
  },
  async run({ startSession, flags }) {
    const { says, fact: facts } = flags;
    const scenario = withCallerWords(await contentOf(flags.scenario), { says, facts });
    const mock_tools = flags["mock-tools"] === undefined ? undefined : await readMockTools(flags["mock-tools"]);
    const { client, projectId: project } = await startSession();
    const { name, suite, persona: personas, behavior: expected_behaviors = [] } = flags;
    return client.tests.create({ name, scenario, expected_behaviors, personas, mock_tools, suite, project });
  },
  show: (test) => writtenText("Created", test) + callerHint(test),
});
