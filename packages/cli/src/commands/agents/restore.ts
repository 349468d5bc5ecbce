import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { agentIdOf } from "../../names.ts";

export default command({
  description: "Its connections stay archived; restore those that are wanted. A taken name needs another one.",
  examples: [
    "<%= config.bin %> agents restore agt_06ft2v8xk3n9q4w7r1y5z0abcd",
    '<%= config.bin %> agents restore "Front desk" --name "Old front desk"',
  ],
  args: { agent: argument("Id, or exact name of an archived one.") },
  flags: { name: Flags.string({ description: "Another name than it had." }) },
  async run({ args, connect, flags: { name } }) {
    const connection = await connect();
    const agentId = await agentIdOf(connection, args.agent, { archived: true });
    return (await connection.client.agents.restore({ agentId, name, projectId: connection.project })).agent;
  },
  show: ({ id, name }) =>
    `The agent "${name}" (${id}) is live. Its archived connections: svc connections list ${id} --archived`,
});
