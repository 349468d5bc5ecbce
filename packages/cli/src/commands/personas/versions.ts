import { argument, command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { personaIdOf } from "../../names.ts";
import { table } from "../../output.ts";
import { contentSummary } from "../../persona-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ['<%= config.bin %> personas versions "Night nurse"'],
  args: { persona: argument("Name or id.") },
  flags: { limit: limitFlag() },
  async run({ args, connect, flags: { limit } }) {
    const connection = await connect();
    const { client, project: projectId, tokenPages } = connection;
    const of = { personaId: await personaIdOf(connection, args.persona), projectId, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("versions", (pageToken) => client.personas.versions({ ...of, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "id", cell: ({ id }) => id },
        { title: "made", cell: ({ createdAt }) => (createdAt === null ? "shipped" : ago(createdAt)) },
        { title: "current", cell: ({ current }) => (current ? "yes" : "") },
        { title: "who calls", cell: contentSummary },
      ],
      "No versions. A persona is made with one: svc personas create",
    ) + moreBelow(list),
});
