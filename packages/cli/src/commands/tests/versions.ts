import { argument, command, limitFlag } from "../../command.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { testIdOf } from "../../names.ts";
import { table } from "../../output.ts";
import { contentSummary } from "../../test-content.ts";
import { ago } from "../../times.ts";

export default command({
  examples: ['<%= config.bin %> tests versions "Books a slot"'],
  args: { test: argument("Id or exact name.") },
  flags: { limit: limitFlag() },
  async run({ args, connect, flags: { limit } }) {
    const connection = await connect();
    const { client, project, pages } = connection;
    const testId = await testIdOf(connection, args.test);
    return take(
      pages((cursor) => client.tests.versions({ testId, project, cursor, limit: pageSizeFor(limit) })),
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
