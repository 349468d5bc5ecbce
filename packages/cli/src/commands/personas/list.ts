import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { archivedFlag, limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { contentSummary } from "../../authoring/persona-content.ts";

export default command({
  summary: "List personas",
  description: "Lists the personas of the project, newest first, then the personas that ship with the service.",
  examples: ["<%= config.bin %> personas list", "<%= config.bin %> personas list --search angry --json"],
  flags: {
    search: Flags.string({ description: "Only personas with this text in their name." }),
    archived: archivedFlag(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { search, archived, limit } }) {
    const { client, projectId, pages } = await startSession();
    const filter = { projectId, search, archived, pageSize: pageSizeFor(limit) };
    return take(pages(client.personas.list, filter), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name), cut: true },
        { title: "source", cell: ({ source }) => source, spare: 1 },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        idColumn,
        { title: "content", cell: contentSummary },
      ],
      "No personas match. To see all personas: svc personas list",
    ) + moreLine(list),
});
