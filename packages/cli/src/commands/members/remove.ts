import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { memberOf } from "../../members.ts";

export default command({
  summary: "Remove a member from the organization",
  description:
    "The member's keys and sessions in the organization end. A person who belongs to no other organization loses the account. Asks for confirmation.",
  examples: ["<%= config.bin %> members remove ada@example.com"],
  args: { member: argument("E-mail address or id of the member.") },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const session = await invocation.startSession();
    const member = await memberOf(session, invocation.args.member);
    await invocation.confirm(`Remove ${member.name} (${member.email}) and their keys?`);
    await session.client.members.remove({ userId: member.userId });
    return { removed: member };
  },
  show: ({ removed }) => `Removed ${removed.name} (${removed.email}).`,
});
