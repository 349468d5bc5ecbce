import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { contentOf } from "../../input.ts";
import { contentFlags, mockToolsOf, scenarioFlag, versionText } from "../../test-content.ts";

export default command({
  examples: [
    '<%= config.bin %> tests create --name "Books a slot" --scenario "Ada wants Monday at ten." --behavior "Offers a free slot." --behavior "Repeats the booking."',
    '<%= config.bin %> tests create --name Refund --scenario @refund.txt --behavior "Asks for the order number." --mock-tools @tools.json --suite Orders',
  ],
  flags: {
    name: Flags.string({ description: "Unique among the project's tests.", required: true }),
    scenario: Flags.string({ ...scenarioFlag, required: true }),
    ...contentFlags(),
    suite: Flags.string({ description: 'Suite id or name; default "Default".' }),
  },
  async run({ connect, flags }) {
    const scenario = await contentOf(flags.scenario);
    const mock_tools = flags["mock-tools"] === undefined ? undefined : await mockToolsOf(flags["mock-tools"]);
    const { client, project } = await connect();
    const { name, suite, persona: personas, behavior: expected_behaviors = [] } = flags;
    return client.tests.create({ name, scenario, expected_behaviors, personas, mock_tools, suite, project });
  },
  show: (test) => `Created ${versionText(test)}`,
});
