import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { memberOf } from "../../members.ts";

export default command({
  summary: "Change a member's role",
  description: "The new role applies to the member's keys and sessions from their next request.",
  examples: ["<%= config.bin %> members role ada@example.com admin"],
  args: {
    member: argument("E-mail address or id of the member."),
    role: Args.string({
      description: "The new role.",
      options: ["admin", "member", "viewer"],
      required: true,
      ignoreStdin: true,
    }),
  },
  async run({ args, startSession }) {
    const session = await startSession();
    const { userId } = await memberOf(session, args.member);
    const role = args.role as "admin" | "member" | "viewer";
    return (await session.client.members.edit({ userId, role })).member;
  },
  show: ({ name, role }) => `${name} is now ${role}.`,
});
