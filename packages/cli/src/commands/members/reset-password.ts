import { tokenPage } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { memberOf } from "../../members.ts";
import { moment } from "../../terminal/times.ts";

export default command({
  summary: "Create a one-time token with which a member sets a new password",
  description:
    "Prints only the token on standard output. The member opens the address of the reset, or runs `svc account reset-password` with the token. The service refuses a member who also belongs to another organization.",
  examples: ["<%= config.bin %> members reset-password ada@example.com"],
  args: { member: argument("E-mail address or id of the member.") },
  async run({ args, flags, startSession, note }) {
    const session = await startSession();
    const member = await memberOf(session, args.member);
    const created = await session.client.members.resetPassword({ userId: member.userId });
    if (!flags.json)
      note(
        `Send ${member.name} this token, or the address ${tokenPage(session.url, "reset", created.token)}. It works once, until ${moment(created.expiresAt)}.`,
      );
    return created;
  },
  show: ({ token }) => token,
});
