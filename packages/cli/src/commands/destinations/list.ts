import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { stateText } from "../../notifications/destination-text.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { counted, idColumn, table } from "../../terminal/output.ts";

export default command({
  summary: "List where the project's events are sent",
  examples: ["<%= config.bin %> destinations list", "<%= config.bin %> destinations list --json"],
  flags: { limit: limitFlag() },
  async run({ startSession, flags: { limit } }) {
    const { client, projectId, pages } = await startSession();
    return take(pages(client.destinations.list, { projectId, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "kind", cell: ({ kind }) => kind },
        { title: "state", cell: stateText },
        { title: "events", cell: ({ eventTypes }) => eventTypes.join(", "), cut: true, spare: 1 },
        {
          title: "agents",
          cell: ({ agents }) => (agents.length === 0 ? "every agent" : counted(agents.length, "agent")),
          spare: 2,
        },
        idColumn,
        { title: "address", cell: ({ address }) => address },
      ],
      "No destinations. To send events to a program of yours: svc destinations create --name CI --kind webhook --address https://example.com/hooks/svc --event run.completed",
    ) + moreLine(list),
});
