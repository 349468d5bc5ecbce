import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List projects",
  examples: ["<%= config.bin %> projects list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, pages } = await startSession();
    const pageSize = pageSizeFor(limit);
    return take(pages(client.projects.list, { pageSize }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "slug", cell: ({ slug }) => slug, cut: true },
        { title: "kept for", cell: ({ retentionDays }) => (retentionDays === null ? "—" : `${retentionDays} d`) },
        { title: "created", cell: ({ createdAt }) => ago(createdAt) },
        idColumn,
      ],
      'Your key can read no projects. To create one: svc projects create --name "Front desk"',
    ) + moreLine(list),
});
