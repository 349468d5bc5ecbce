import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago, moment } from "../../terminal/times.ts";

export default command({
  summary: "List open invitations",
  description: "Only admins can list invitations.",
  examples: ["<%= config.bin %> invitations list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags }) {
    const { client, pages } = await startSession();
    const pageSize = pageSizeFor(flags.limit);
    return take(pages(client.invitations.list, { pageSize }), flags.limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "e-mail", cell: ({ email }) => email },
        { title: "role", cell: ({ role }) => role },
        { title: "created", cell: ({ createdAt }) => ago(createdAt), spare: 2 },
        { title: "expires", cell: ({ expiresAt }) => moment(expiresAt), spare: 3 },
        { title: "id", cell: ({ id }) => id, spare: 1 },
      ],
      "There are no open invitations. To create one: svc invitations create ada@example.com",
    ) + moreLine(list),
});
