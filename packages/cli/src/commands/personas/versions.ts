import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";
import { contentSummary } from "../../authoring/persona-content.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the versions of a persona",
  examples: ['<%= config.bin %> personas versions "Night nurse"'],
  args: { persona: argument("Id or exact name of the persona.") },
  flags: { limit: limitFlag() },
  async run({ args, startSession, flags: { limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const filter = { personaId: await idOf(session, "persona", args.persona), projectId, pageSize: pageSizeFor(limit) };
    return take(pages(client.personas.versions, filter), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "created", cell: ({ createdAt }) => (createdAt === null ? "shipped" : ago(createdAt)) },
        { title: "current", cell: ({ current }) => (current ? "yes" : "") },
        { title: "content", cell: contentSummary, cut: true },
        wholeIdColumn,
      ],
      "No versions.",
    ) + moreLine(list),
});
