import { Flags } from "@oclif/core";
import { tokenPage } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Invite a person to the organization",
  description:
    "Prints only the token on standard output. The person opens the address of the invitation, or runs `svc invitations accept` with the token. An earlier open invitation of the same address becomes invalid.",
  examples: ["<%= config.bin %> invitations create ada@example.com --role member"],
  args: { email: argument("E-mail address of the person.") },
  flags: {
    role: Flags.option({ options: ["admin", "member", "viewer"] as const, description: "Role.", default: "member" })(),
  },
  async run({ args, flags, startSession, note }) {
    const { client, url } = await startSession();
    const created = await client.invitations.create({ email: args.email, role: flags.role });
    if (!flags.json)
      note(
        `Send ${created.invitation.email} this token, or the address ${tokenPage(url, "invitation", created.token)}. It works once, within seven days. In a terminal: svc invitations accept --url ${url}`,
      );
    return created;
  },
  show: ({ token }) => token,
});
