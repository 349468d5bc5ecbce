import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, take } from "../../terminal/list.ts";
import { membersOf } from "../../members.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List members of the organization",
  description: "Only admins can list members.",
  examples: ["<%= config.bin %> members list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags }) {
    return take(membersOf(await startSession()), flags.limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "e-mail", cell: ({ email }) => email },
        { title: "name", cell: ({ name }) => name },
        { title: "role", cell: ({ role }) => role },
        { title: "since", cell: ({ createdAt }) => ago(createdAt), spare: 2 },
        { title: "id", cell: ({ userId }) => userId, spare: 1 },
      ],
      "The organization has no members.",
    ) + moreLine(list),
});
