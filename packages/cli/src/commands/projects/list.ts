import { command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ["<%= config.bin %> projects list"],
  flags: { limit: limitFlag() },
  async run({ connect, flags: { limit } }) {
    const { client, tokenPages } = await connect();
    const pageSize = pageSizeFor(limit);
    return take(
      tokenPages("projects", (pageToken) => client.projects.list({ pageSize, pageToken })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "slug", cell: ({ slug }) => slug, cut: true },
        { title: "created", cell: ({ createdAt }) => ago(createdAt) },
        { title: "name", cell: ({ name }) => name },
      ],
      'No projects that your key sees. Create one: svc projects create --name "Front desk"',
    ) + moreBelow(list),
});
