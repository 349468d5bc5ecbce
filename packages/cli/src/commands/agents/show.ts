import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { agentText } from "../../agents/connection-text.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Show an agent",
  examples: ['<%= config.bin %> agents show "Front desk"'],
  args: { agent: argument("Id or exact name of the agent.") },
  async run({ args, startSession }) {
    const session = await startSession();
    const agentId = await idOf(session, "agent", args.agent);
    return (await session.client.agents.get({ agentId, projectId: session.projectId })).agent;
  },
  show: agentText,
});
