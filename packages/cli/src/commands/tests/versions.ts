import { argument, command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { table } from "../../output.ts";
import { contentSummary } from "../../test-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ["<%= config.bin %> tests versions tst_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the test, from `svc tests list`.") },
  flags: { limit: limitFlag() },
  async run({ args, connect, flags: { limit } }) {
    const { client, project, pages } = await connect();
    return take(
      pages((cursor) => client.tests.versions({ testId: args.id, project, cursor, limit: pageSizeFor(limit) })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "version", cell: ({ version }) => String(version), right: true },
        { title: "id", cell: ({ id }) => id },
        { title: "made", cell: ({ created_at }) => ago(created_at) },
        { title: "current", cell: ({ current }) => (current ? "yes" : "") },
        { title: "content", cell: contentSummary },
      ],
      "No versions. A test is made with one: svc tests create",
    ) + moreBelow(list),
});
