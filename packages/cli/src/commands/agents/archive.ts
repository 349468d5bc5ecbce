import { argument, command, yesFlag } from "../../command.ts";
import { agentIdOf } from "../../names.ts";
import { counted } from "../../output.ts";

export default command({
  description: "Archives its connections too and cancels its runs; history stays readable. Asks first.",
  examples: ['<%= config.bin %> agents archive "Front desk"', '<%= config.bin %> agents archive "Front desk" --yes'],
  args: { agent: argument("Id or exact name.") },
  flags: { yes: yesFlag() },
  async run(call) {
    const connection = await call.connect();
    const { client, project: projectId } = connection;
    const agentId = await agentIdOf(connection, call.args.agent);
    const { agent } = await client.agents.get({ agentId, projectId });
    await call.confirm(`Archive the agent "${agent.name}" and its connections, and cancel its runs?`);
    return client.agents.archive({ agentId, projectId });
  },
  show: ({ agent, archivedConnections, canceledRunCount }) =>
    `Archived "${agent.name}" (${agent.id}) with ${counted(archivedConnections.length, "connection")}; ${counted(canceledRunCount, "run")} canceled. Bring it back: svc agents restore ${agent.id}`,
});
