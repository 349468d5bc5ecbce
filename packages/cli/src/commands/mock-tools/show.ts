import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { facts, paint } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "Show a mock tool",
  examples: ["<%= config.bin %> mock-tools show mck_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the mock tool, from `svc mock-tools list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return (await client.mockTools.get({ mockToolId: args.id, projectId })).mockTool;
  },
  show: (mock) =>
    `${paint.bold(mock.tool)}  edited ${ago(mock.updatedAt)}\n${mock.id}\n\n${facts([
      ["Answer", mock.error === undefined ? JSON.stringify(mock.answer, null, 2) : undefined],
      ["Error", mock.error],
      ["Delay", mock.delayMs === undefined ? undefined : `${mock.delayMs} ms`],
      ["Succeeds when", mock.succeedsWhen],
      ["Agents", mock.agentIds.length === 0 ? "every agent" : mock.agentIds.join("\n")],
    ])}`,
});
