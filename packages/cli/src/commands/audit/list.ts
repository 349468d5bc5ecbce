import { auditFlags, filtersOf, whoOf } from "../../audit.ts";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List who did what in the organization, newest first",
  description:
    "There is a line for every change, every read of recordings, exports and keys, every sign-in, and every refused attempt. Only admins can read it, and an API key needs the permission admin.",
  examples: [
    "<%= config.bin %> audit list",
    "<%= config.bin %> audit list --operation keys --from 7d",
    "<%= config.bin %> audit list --actor ada@example.com --outcome refused",
  ],
  flags: { ...auditFlags, limit: limitFlag() },
  async run({ startSession, flags }) {
    const { client, pages } = await startSession();
    const wanted = { ...filtersOf(flags), pageSize: pageSizeFor(flags.limit) };
    return take(pages(client.audit.list, wanted), flags.limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "when", cell: ({ at }) => ago(at) },
        { title: "who", cell: ({ actor }) => whoOf(actor), cut: true },
        { title: "from", cell: ({ address }) => address ?? "", spare: 2 },
        { title: "did", cell: ({ operation, detail }) => (detail === null ? operation : `${operation} (${detail})`) },
        {
          title: "outcome",
          cell: ({ outcome, error }) => (error === null ? outcome : `${outcome}: ${error}`),
          spare: 1,
        },
        {
          title: "to",
          cell: ({ resource }) => (resource === null ? "" : `${resource.kind} ${resource.id}`),
          whole: true,
        },
      ],
      "No line of the audit matches.",
    ) + moreLine(list),
});
