import { command } from "../../command.ts";
import { argument, limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";
import { contentSummary } from "../../authoring/test-content.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the versions of a test",
  examples: ['<%= config.bin %> tests versions "Books a slot"'],
  args: { test: argument("Id or exact name of the test.") },
  flags: { limit: limitFlag() },
  async run({ args, startSession, flags: { limit } }) {
    const session = await startSession();
    const { client, projectId: project, pages } = session;
    const testId = await idOf(session, "test", args.test);
    return take(pages(client.tests.versions, { testId, project, limit: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "created", cell: ({ created_at }) => ago(created_at) },
        { title: "current", cell: ({ current }) => (current ? "yes" : "") },
        { title: "content", cell: contentSummary, cut: true },
        wholeIdColumn,
      ],
      "No versions.",
    ) + moreLine(list),
});
