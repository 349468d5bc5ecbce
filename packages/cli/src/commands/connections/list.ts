import { Flags } from "@oclif/core";
import { argument, command, limitFlag } from "../../command.ts";
import { credentialText } from "../../connection-text.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { agentIdOf } from "../../names.ts";
import { table } from "../../output.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ['<%= config.bin %> connections list "Front desk"'],
  args: { agent: argument("Id or exact name of the agent.") },
  flags: {
    archived: Flags.boolean({ description: "The archived ones instead of the live ones." }),
    limit: limitFlag(),
  },
  async run({ args, connect, flags: { archived, limit } }) {
    const connection = await connect();
    const { client, project: projectId, tokenPages } = connection;
    const agentId = await agentIdOf(connection, args.agent);
    const filter = { agentId, projectId, archived: archived === true, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("connections", (pageToken) => client.connections.list({ ...filter, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "access", cell: ({ accessVariant }) => accessVariant, cut: true },
        { title: "modality", cell: ({ modality }) => modality, spare: 3 },
        { title: "environment", cell: ({ environment }) => environment, cut: true, spare: 1 },
        { title: "credential", cell: credentialText, spare: 2 },
        { title: "edited", cell: ({ updatedAt }) => ago(updatedAt), spare: 4 },
        { title: "name", cell: ({ name }) => name },
      ],
      "No connections. `svc connections options` shows the types; add one: svc connections add AGENT --type TYPE",
    ) + moreBelow(list),
});
