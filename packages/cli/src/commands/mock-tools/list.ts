import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { outcomeText, scopeText } from "../../authoring/mock-tool-text.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";

export default command({
  summary: "List the mock tools of the project",
  examples: ["<%= config.bin %> mock-tools list"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    const pageSize = pageSizeFor(limit);
    return take(pages(client.mockTools.list, { projectId, pageSize }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "tool", cell: ({ tool }) => tool, cut: true },
        { title: "agents", cell: scopeText },
        { title: "outcome", cell: outcomeText, cut: true },
        wholeIdColumn,
      ],
      "No mock tools. To create one: svc mock-tools create --tool find_slots --answer '{\"slots\": []}'",
    ) + moreLine(list),
});
