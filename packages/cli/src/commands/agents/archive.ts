import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { counted } from "../../terminal/output.ts";

export default command({
  summary: "Archive an agent and its connections",
  description:
    "Archives its connections too and cancels its runs. Past runs and conversations stay readable. Asks for confirmation.",
  examples: ['<%= config.bin %> agents archive "Front desk"', '<%= config.bin %> agents archive "Front desk" --yes'],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const { client, projectId } = session;
    const agentId = await idOf(session, "agent", invocation.args.agent);
    const { agent } = await client.agents.get({ agentId, projectId });
    await invocation.confirm(`Archive the agent "${agent.name}" and its connections, and cancel its runs?`);
    return client.agents.archive({ agentId, projectId });
  },
  show: ({ agent, archivedConnections, canceledRunCount }) =>
    `Archived "${agent.name}" (${agent.id}) with ${counted(archivedConnections.length, "connection")}; ${counted(canceledRunCount, "run")} canceled. To restore it: svc agents restore ${agent.id}`,
});
