import { command } from "../../command.ts";
import { archivedFlag, limitFlag } from "../../flags.ts";
import { definitionText, scopeText, useText } from "../../graders/grader-content.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";

export default command({
  summary: "List graders",
  description:
    "A grader whose use is `counts` influences the verdicts of simulations. A grader whose use is `shown` does not. Graders that ship with the service come last.",
  examples: ["<%= config.bin %> graders list", "<%= config.bin %> graders list --archived --json"],
  flags: { archived: archivedFlag(), limit: limitFlag() },
  async run({ startSession, flags: { archived, limit } }) {
    const { client, projectId, pages } = await startSession();
    const pageSize = pageSizeFor(limit);
    return take(pages(client.graders.list, { projectId, archived, pageSize }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        { title: "use", cell: useText },
        { title: "grades", cell: scopeText, spare: 1 },
        idColumn,
        { title: "definition", cell: ({ definition }) => definitionText(definition) },
      ],
      "No archived graders. To see live graders: svc graders list",
    ) + moreLine(list),
});
