import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Rename an agent",
  examples: ['<%= config.bin %> agents rename "Front desk" Reception'],
  args: {
    agent: argument("Id or exact name of the agent."),
    name: argument("New name, unique among the live agents of the project."),
  },
  async run({ args: { agent, name }, startSession }) {
    const session = await startSession();
    const agentId = await idOf(session, "agent", agent);
    return (await session.client.agents.edit({ agentId, name, projectId: session.projectId })).agent;
  },
  show: ({ id, name }) => `The agent ${id} is now "${name}".`,
});
