import { argument, command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { personaIdOf } from "../../names.ts";
import { table } from "../../output.ts";

export default command({
  description: "Tests that name no persona call the project's default one, and are not listed.",
  examples: ["<%= config.bin %> personas usage angry"],
  args: { persona: argument("Name or id.") },
  flags: { limit: limitFlag() },
  async run({ args, connect, flags: { limit } }) {
    const connection = await connect();
    const { client, project: projectId, tokenPages } = connection;
    const of = { personaId: await personaIdOf(connection, args.persona), projectId, pageSize: pageSizeFor(limit) };
    return take(
      tokenPages("tests", (pageToken) => client.personas.usage({ ...of, pageToken })),
      limit,
    );
  },
  show: (list, { args }) =>
    table(
      list.items,
      [
        { title: "test", cell: ({ id }) => id },
        { title: "version", cell: ({ versionId }) => versionId, spare: 1 },
        { title: "name", cell: ({ name }) => name },
      ],
      `No test names it. Let one: svc tests edit TEST --persona "${args.persona}"`,
    ) + moreBelow(list),
});
