import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { mockFlags, readOutcome, mockToolText } from "../../authoring/mock-tool-text.ts";
import { idsOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Edit a mock tool",
  description:
    "Changes only what the flags name. --answer replaces an error, and --error replaces an answer. --agent replaces the whole list of agents.",
  examples: [
    '<%= config.bin %> mock-tools edit mck_06ft2v8xk3n9q4w7r1y5z0abcd --error "timed out" --delay-ms 5000',
    "<%= config.bin %> mock-tools edit mck_06ft2v8xk3n9q4w7r1y5z0abcd --every-agent",
  ],
  args: { id: argument("Id of the mock tool, from `svc mock-tools list`.") },
  flags: {
    tool: Flags.string({ description: "Name of the agent's tool." }),
    ...mockFlags(),
    "no-condition": Flags.boolean({
      description: "Remove the condition of success.",
      exclusive: ["succeeds-when"],
    }),
    "every-agent": Flags.boolean({ description: "Mock the tool of every agent of the project.", exclusive: ["agent"] }),
  },
  async run({ args, startSession, flags }) {
    const agents = flags["every-agent"] ? [] : flags.agent;
    const change = {
      ...(await readOutcome(flags)),
      ...(flags["no-condition"] ? { succeedsWhen: null } : {}),
      ...(flags.tool !== undefined && { tool: flags.tool }),
    };
    if (agents === undefined && Object.keys(change).length === 0) {
      throw usage(
        "Nothing to change. Set --tool, --answer, --error, --delay-ms, --succeeds-when, --no-condition, --agent or --every-agent.",
      );
    }
    const session = await startSession();
    const agentIds = agents && (await idsOf(session, "agent", agents));
    const edit = { mockToolId: args.id, projectId: session.projectId, ...change, ...(agentIds && { agentIds }) };
    return (await session.client.mockTools.edit(edit)).mockTool;
  },
  show: (mock) => `Edited ${mockToolText(mock)}`,
});
