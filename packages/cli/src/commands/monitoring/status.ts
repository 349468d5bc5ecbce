import { command } from "../../command.ts";
import { setupText } from "../../monitoring/setup-text.ts";

export default command({
  description: "The setups of the project: their health, their agents, and the calls that could not be imported.",
  examples: ["<%= config.bin %> monitoring status", "<%= config.bin %> monitoring status --json"],
  async run({ connect }) {
    const { client, project } = await connect();
    return client.monitoring.list({ project });
  },
  show: ({ setups }) =>
    setups.map(setupText).join("\n\n\n") ||
    "Nothing is monitored. Fetch the calls of platform_a agents: svc monitoring connect\nWatch for workers on platform_b: svc monitoring connect platform_b-agents",
});
