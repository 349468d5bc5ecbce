import { command } from "../../command.ts";
import { setupText } from "../../monitoring/setup-text.ts";

export default command({
  summary: "Show the monitoring setups and failed imports",
  description: "Prints each setup of the project with its health, its agents, and the calls whose import failed.",
  examples: ["<%= config.bin %> monitoring status", "<%= config.bin %> monitoring status --json"],
  async run({ startSession }) {
    const { client, projectId: project } = await startSession();
    return client.monitoring.list({ project });
  },
  show: ({ setups }) =>
    setups.map(setupText).join("\n\n\n") ||
    "No platform is monitored. To import the calls of agents on Retell: svc monitoring connect\nTo receive conversations from workers on LiveKit Agents: svc monitoring connect platform_b-agents",
});
