import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { agentsGiven, mockFlags, mockGiven, mockToolText } from "../../mock-tool-text.ts";
import { usage } from "../../refusal.ts";

export default command({
  description:
    "Changes what is given and keeps the rest. --answer takes the place of an error and the other way round; --agent replaces the whole list.",
  examples: [
    '<%= config.bin %> mock-tools edit mck_06ft2v8xk3n9q4w7r1y5z0abcd --error "timed out" --delay-ms 5000',
    "<%= config.bin %> mock-tools edit mck_06ft2v8xk3n9q4w7r1y5z0abcd --every-agent",
  ],
  args: { id: argument("Id of the mock tool, from `svc mock-tools list`.") },
  flags: {
    tool: Flags.string({ description: "Name of the agent's tool." }),
    ...mockFlags(),
    "every-agent": Flags.boolean({ description: "Answer for every agent of the project.", exclusive: ["agent"] }),
  },
  async run({ args, connect, flags }) {
    const agents = flags["every-agent"] ? [] : flags.agent;
    const change = {
      ...(await mockGiven(flags)),
      ...(flags.tool !== undefined && { tool: flags.tool }),
    };
    if (agents === undefined && Object.keys(change).length === 0) {
      throw usage("Name what to change: --tool, --answer, --error, --delay-ms, --agent or --every-agent.");
    }
    const connection = await connect();
    const agentIds = agents && (await agentsGiven(connection, agents));
    const edit = { mockToolId: args.id, projectId: connection.project, ...change, ...(agentIds && { agentIds }) };
    return (await connection.client.mockTools.edit(edit)).mockTool;
  },
  show: (mock) => `Now ${mockToolText(mock)}`,
});
