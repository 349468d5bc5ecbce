import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";

export default command({
  summary: "Delete a mock tool",
  description: "Runs that have started keep the mock tool. Asks for confirmation.",
  examples: ["<%= config.bin %> mock-tools delete mck_06ft2v8xk3n9q4w7r1y5z0abcd --yes"],
  args: { id: argument("Id of the mock tool, from `svc mock-tools list`.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const { client, projectId } = await invocation.startSession();
    const mockToolId = invocation.args.id;
    const { mockTool } = await client.mockTools.get({ mockToolId, projectId });
    await invocation.confirm(`Delete the mock tool "${mockTool.tool}"?`);
    await client.mockTools.delete({ mockToolId, projectId });
    return { deleted: mockTool };
  },
  show: ({ deleted }) => `Deleted the mock tool "${deleted.tool}" (${deleted.id}).`,
});
