import { Flags } from "@oclif/core";
import { platformName } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { archivedFlag, limitFlag } from "../../flags.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List agents, newest first",
  examples: ["<%= config.bin %> agents list", "<%= config.bin %> agents list --search booking --archived"],
  flags: {
    search: Flags.string({ description: "Only agents with this text in their name or platform id." }),
    archived: archivedFlag(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { search, archived, limit } }) {
    const { client, projectId, pages } = await startSession();
    const filter = { projectId, search, archived, pageSize: pageSizeFor(limit) };
    return take(pages(client.agents.list, filter), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "platform", cell: ({ agentPlatform }) => platformName(agentPlatform) },
        { title: "platform id", cell: ({ platformAgentId }) => platformAgentId ?? "", cut: true, spare: 2 },
        { title: "monitoring", cell: ({ monitoringConfigured }) => (monitoringConfigured ? "yes" : "no"), spare: 3 },
        { title: "edited", cell: ({ updatedAt }) => ago(updatedAt), spare: 1 },
        idColumn,
      ],
      'No agents match. To register one: svc agents register --name "Front desk"',
    ) + moreLine(list),
});
