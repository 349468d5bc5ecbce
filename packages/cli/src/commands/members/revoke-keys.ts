import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { memberOf } from "../../members.ts";
import { counted } from "../../terminal/output.ts";

export default command({
  summary: "Revoke all API keys of a member",
  description:
    "Revokes the keys that the member created in the organization: the service refuses their next request. Workers that use such a key cannot send any more. The member's sessions continue. Asks for confirmation.",
  examples: ["<%= config.bin %> members revoke-keys ada@example.com"],
  args: { member: argument("E-mail address or id of the member.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const member = await memberOf(session, invocation.args.member);
    await invocation.confirm(`Revoke all API keys of ${member.name} (${member.email})?`);
    const { revokedKeys } = await session.client.members.revokeKeys({ userId: member.userId });
    return { member, revokedKeys };
  },
  show: ({ member, revokedKeys }) => `Revoked ${counted(revokedKeys, "API key")} of ${member.name} (${member.email}).`,
});
