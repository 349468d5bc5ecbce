import { argument, command, yesFlag } from "../../command.ts";

export default command({
  description: "Runs that began with it keep it. Asks first.",
  examples: ["<%= config.bin %> mock-tools delete mck_06ft2v8xk3n9q4w7r1y5z0abcd --yes"],
  args: { id: argument("Id of the mock tool, from `svc mock-tools list`.") },
  flags: { yes: yesFlag() },
  async run(call) {
    const { client, project: projectId } = await call.connect();
    const mockToolId = call.args.id;
    const { mockTool } = await client.mockTools.get({ mockToolId, projectId });
    await call.confirm(`Delete the mock of "${mockTool.tool}"?`);
    await client.mockTools.delete({ mockToolId, projectId });
    return { deleted: mockTool };
  },
  show: ({ deleted }) => `Deleted the mock of "${deleted.tool}" (${deleted.id}).`,
});
