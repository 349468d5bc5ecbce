import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { memberOf } from "../../members.ts";

export default command({
  summary: "Remove the second factor of a member who lost it",
  description:
    "For a member who lost the authenticator app or passkeys, and the recovery codes. The member's sessions end, and the password alone signs in until the member sets a second factor up again. The service refuses a member who also belongs to another organization.",
  examples: ["<%= config.bin %> members remove-second-factor ada@example.com"],
  args: { member: argument("E-mail address or id of the member.") },
  flags: { yes: yesFlag() },
  async run({ args, startSession, confirm }) {
    const session = await startSession();
    const member = await memberOf(session, args.member);
    await confirm(`Remove the second factor of ${member.name} (${member.email})?`);
    await session.client.members.removeSecondFactor({ userId: member.userId });
    return { userId: member.userId, name: member.name };
  },
  show: ({ name }) => `The password alone signs ${name} in now.`,
});
