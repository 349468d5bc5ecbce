import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { idOf } from "../../look-up.ts";

export default command({
  summary: "Restore an archived agent",
  description:
    "The connections of the agent stay archived. Restore each with `svc connections restore`. Set --name when another agent has the old name.",
  examples: [
    "<%= config.bin %> agents restore agt_06ft2v8xk3n9q4w7r1y5z0abcd",
    '<%= config.bin %> agents restore "Front desk" --name "Old front desk"',
  ],
  args: { agent: argument("Id or exact name of the archived agent.") },
  flags: { name: Flags.string({ description: "New name of the agent." }) },
  async run({ args, startSession, flags: { name } }) {
    const session = await startSession();
    const agentId = await idOf(session, "agent", args.agent, { archived: true });
    return (await session.client.agents.restore({ agentId, name, projectId: session.projectId })).agent;
  },
  show: ({ id, name }) =>
    `The agent "${name}" (${id}) is live. To see its archived connections: svc connections list ${id} --archived`,
});
