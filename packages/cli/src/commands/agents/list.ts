import { Flags } from "@oclif/core";
import { command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ["<%= config.bin %> agents list", "<%= config.bin %> agents list --search booking --archived"],
  flags: {
    search: Flags.string({ description: "Text in the name or the platform's id." }),
    archived: Flags.boolean({ description: "The archived ones instead of the live ones." }),
    limit: limitFlag(),
  },
  async run({ connect, flags: { search, archived, limit } }) {
    const { client, project: projectId, tokenPages } = await connect();
    const filter = { projectId, search, archived: archived === true, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("agents", (pageToken) => client.agents.list({ ...filter, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "platform", cell: ({ agentPlatform }) => agentPlatform },
        { title: "id there", cell: ({ platformAgentId }) => platformAgentId ?? "", cut: true, spare: 2 },
        { title: "monitoring", cell: ({ monitoringConfigured }) => (monitoringConfigured ? "yes" : "no"), spare: 3 },
        { title: "edited", cell: ({ updatedAt }) => ago(updatedAt), spare: 1 },
        { title: "name", cell: ({ name }) => name },
      ],
      'No agents match. Register one: svc agents register --name "Front desk"',
    ) + moreBelow(list),
});
