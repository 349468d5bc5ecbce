import { allowedText } from "../../agents/trunk-text.ts";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";

export default command({
  summary: "List the trunks of the project",
  examples: ["<%= config.bin %> trunks list", "<%= config.bin %> trunks list --json"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.trunks.list, { projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "address", cell: ({ address }) => address, cut: true },
        { title: "caller id", cell: ({ callerId }) => callerId, spare: 1 },
        {
          title: "last 24 hours",
          cell: ({ callsInLastDay, callsPerDay }) => `${callsInLastDay} of ${callsPerDay}`,
          spare: 2,
        },
        idColumn,
        { title: "allowed", cell: allowedText, cut: true },
      ],
      "No trunks. To call telephone numbers: svc trunks create --name Carrier --address sip.example.com --caller-id NUMBER --allow NUMBER",
    ) + moreLine(list),
});
