import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { mockFlags, readOutcome, mockToolText } from "../../authoring/mock-tool-text.ts";
import { idsOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Create a mock tool",
  description:
    "The mock tool answers in simulations in place of the agent's tool. A mock tool of the test itself takes precedence.",
  examples: [
    '<%= config.bin %> mock-tools create --tool find_slots --answer \'{"slots": ["10:00"]}\' --delay-ms 250',
    '<%= config.bin %> mock-tools create --tool charge_card --error "card declined" --agent "Front desk"',
  ],
  flags: { tool: Flags.string({ description: "Name of the agent's tool.", required: true }), ...mockFlags() },
  async run({ startSession, flags }) {
    if (flags.answer === undefined && flags.error === undefined) {
      throw usage("The mock tool needs an outcome. Set --answer with JSON, or --error with a text.");
    }
    const outcome = await readOutcome(flags);
    const session = await startSession();
    const agentIds = await idsOf(session, "agent", flags.agent ?? []);
    const mockTool = { tool: flags.tool, ...outcome, agentIds, projectId: session.projectId };
    return (await session.client.mockTools.create(mockTool)).mockTool;
  },
  show: (mock) => `Created ${mockToolText(mock)}`,
});
