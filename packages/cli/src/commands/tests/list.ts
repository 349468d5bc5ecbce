import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { command, limitFlag } from "../../command.ts";
import type { Connection } from "../../connection.ts";
import { moreBelow, pageSizeFor, take } from "../../list.ts";
import { suiteIdOf } from "../../names.ts";
import { table } from "../../output.ts";
import { contentSummary } from "../../test-content.ts";
import { ago } from "../../times.ts";

type Test = Answer<Operations["tests"]["list"]>["items"][number];
type SuiteTest = Answer<Operations["tests"]["listOfSuite"]>["tests"][number];

export default command({
  examples: ["<%= config.bin %> tests list", "<%= config.bin %> tests list --suite Booking --json"],
  flags: { suite: Flags.string({ description: "Only this suite's, by id or exact name." }), limit: limitFlag() },
  async run({ connect, flags: { limit, suite } }) {
    const connection = await connect();
    const { client, project, pages } = connection;
    if (suite !== undefined) return take(ofSuite(connection, await suiteIdOf(connection, suite), limit), limit);
    return take(
      pages((cursor) => client.tests.list({ project, cursor, limit: pageSizeFor(limit) })),
      limit,
    );
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        { title: "edited", cell: ({ updated_at }) => ago(updated_at), spare: 1 },
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "content", cell: contentSummary },
      ],
      'No tests. Create one: svc tests create --name "Books a slot" --scenario "…" --behavior "…"',
    ) + moreBelow(list),
});

async function* ofSuite(
  { client, project: projectId, tokenPages }: Connection,
  suiteId: string,
  limit: number,
): AsyncGenerator<Test> {
  const pageSize = pageSizeFor(limit);
  const found = tokenPages("tests", (pageToken) =>
    client.tests.listOfSuite({ suiteId, projectId, pageSize, pageToken }),
  );
  for await (const test of found) yield asTest(test);
}

/** One shape for both lists, so that scripts read one. */
const asTest = (test: SuiteTest): Test => ({
  id: test.id,
  project_id: test.projectId,
  suite_id: test.suiteId,
  name: test.name,
  version: test.version,
  version_id: test.versionId,
  scenario: test.scenario,
  expected_behaviors: test.expectedBehaviors,
  personas: test.personas,
  mock_tools: test.mockTools.map(({ delayMs, ...mock }) => ({
    ...mock,
    ...(delayMs !== undefined && { delay_ms: delayMs }),
  })),
  created_at: test.createdAt,
  updated_at: test.updatedAt,
});
