import { command } from "../../command.ts";
import { archivedFlag, argument, limitFlag } from "../../flags.ts";
import { credentialText } from "../../agents/connection-text.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the connections of an agent",
  examples: ['<%= config.bin %> connections list "Front desk"'],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: {
    archived: archivedFlag(),
    limit: limitFlag(),
  },
  async run({ args, startSession, flags: { archived, limit } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const agentId = await idOf(session, "agent", args.agent);
    const filter = { agentId, projectId, archived, pageSize: pageSizeFor(limit) };
    return take(pages(client.connections.list, filter), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "access", cell: ({ accessVariant }) => accessVariant, cut: true },
        { title: "modality", cell: ({ modality }) => modality, spare: 3 },
        { title: "environment", cell: ({ environment }) => environment, cut: true, spare: 1 },
        { title: "credential", cell: credentialText, spare: 2 },
        { title: "edited", cell: ({ updatedAt }) => ago(updatedAt), spare: 4 },
        idColumn,
      ],
      "No connections. See the types with `svc connections options`. To add one: svc connections add AGENT --type TYPE",
    ) + moreLine(list),
});
