import { command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { outcomeText, scopeText } from "../../mock-tool-text.ts";
import { table } from "../../output.ts";

export default command({
  examples: ["<%= config.bin %> mock-tools list"],
  flags: { limit: limitFlag() },
  async run({ connect, flags: { limit } }) {
    const { client, project: projectId, tokenPages } = await connect();
    const pageSize = pageSizeFor(limit);
    return take(
      tokenPages("mockTools", (pageToken) => client.mockTools.list({ projectId, pageSize, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "tool", cell: ({ tool }) => tool, cut: true },
        { title: "for", cell: scopeText },
        { title: "does", cell: outcomeText },
      ],
      "No mock tools. Create one: svc mock-tools create --tool find_slots --answer '{\"slots\": []}'",
    ) + moreBelow(list),
});
