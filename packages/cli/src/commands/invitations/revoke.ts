import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Withdraw an open invitation",
  description: "The invitation's token becomes invalid.",
  examples: ["<%= config.bin %> invitations revoke inv_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the invitation, from `svc invitations list`.") },
  async run({ args, startSession }) {
    const { client } = await startSession();
    await client.invitations.revoke({ invitationId: args.id });
    return { revoked: args.id };
  },
  show: ({ revoked }) => `Withdrew ${revoked}.`,
});
