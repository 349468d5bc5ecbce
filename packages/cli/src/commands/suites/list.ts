import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List test suites",
  examples: ["<%= config.bin %> suites list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    const pageSize = pageSizeFor(limit);
    return take(pages(client.suites.list, { projectId, pageSize }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        {
          title: "name",
          cell: ({ name, isDefault }) => (isDefault ? `${name} (for tests without a suite)` : name),
          cut: true,
        },
        { title: "tests", cell: ({ testCount }) => String(testCount), right: true },
        { title: "created", cell: ({ createdAt }) => ago(createdAt) },
        idColumn,
      ],
      "No test suites. To create one: svc suites create --name Booking",
    ) + moreLine(list),
});
