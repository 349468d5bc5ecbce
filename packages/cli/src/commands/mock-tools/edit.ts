import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { mockFlags, mockGiven, mockToolText } from "../../mock-tool-text.ts";
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
    const agentIds = flags["every-agent"] ? [] : flags.agent;
    const change = {
      ...(await mockGiven(flags)),
      ...(flags.tool !== undefined && { tool: flags.tool }),
      ...(agentIds && { agentIds }),
    };
    if (Object.keys(change).length === 0) {
      throw usage("Name what to change: --tool, --answer, --error, --delay-ms, --agent or --every-agent.");
    }
    const { client, project: projectId } = await connect();
    return (await client.mockTools.edit({ mockToolId: args.id, projectId, ...change })).mockTool;
  },
  show: (mock) => `Now ${mockToolText(mock)}`,
});
