import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, oneLine, table } from "../../terminal/output.ts";
import { queryText } from "../../views/view-filters.ts";

export default command({
  summary: "List saved views",
  description: "A view has a problem when it names something that no longer exists.",
  examples: ["<%= config.bin %> views list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.views.list, { projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => oneLine(name), cut: true },
        { title: "list", cell: ({ query }) => query.list },
        { title: "shows", cell: ({ query }) => queryText(query), cut: true },
        { title: "problem", cell: ({ problems }) => problems[0]?.message ?? "-", cut: true, spare: 1 },
        idColumn,
      ],
      "No saved views. To save one: svc views create Errors --status error --last 24h",
    ) + moreLine(list),
});
