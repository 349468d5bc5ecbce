import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { agentsGiven, mockFlags, mockGiven, mockToolText } from "../../mock-tool-text.ts";
import { usage } from "../../refusal.ts";

export default command({
  description: "Answers in simulations in the tool's place, where the test does not mock the same tool itself.",
  examples: [
    '<%= config.bin %> mock-tools create --tool find_slots --answer \'{"slots": ["10:00"]}\' --delay-ms 250',
    '<%= config.bin %> mock-tools create --tool charge_card --error "card declined" --agent "Front desk"',
  ],
  flags: { tool: Flags.string({ description: "Name of the agent's tool.", required: true }), ...mockFlags() },
  async run({ connect, flags }) {
    if (flags.answer === undefined && flags.error === undefined) {
      throw usage("Say what the tool does: --answer with JSON, or --error with text.");
    }
    const mock = await mockGiven(flags);
    const connection = await connect();
    const agentIds = await agentsGiven(connection, flags.agent ?? []);
    const made = { tool: flags.tool, ...mock, agentIds, projectId: connection.project };
    return (await connection.client.mockTools.create(made)).mockTool;
  },
  show: (mock) => `Created: ${mockToolText(mock)}`,
});
