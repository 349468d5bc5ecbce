import { Flags } from "@oclif/core";
import type { Answer, Operations } from "@svc/contract";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import type { Session } from "../../session/session.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { idOf } from "../../look-up.ts";
import { idColumn, table } from "../../terminal/output.ts";
import { contentSummary } from "../../authoring/test-content.ts";
import { ago } from "../../terminal/times.ts";

type Test = Answer<Operations["tests"]["list"]>["items"][number];
type SuiteTest = Answer<Operations["tests"]["listOfSuite"]>["tests"][number];

export default command({
  summary: "List tests, newest first",
  examples: ["<%= config.bin %> tests list", "<%= config.bin %> tests list --suite Booking --json"],
  flags: {
    suite: Flags.string({ description: "Only tests of this suite, by its id or exact name." }),
    tag: Flags.string({ description: "Only tests with this tag." }),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { limit, suite, tag } }) {
    const session = await startSession();
    const { client, projectId: project, pages } = session;
    if (suite !== undefined) {
      const suiteId = await idOf(session, "suite", suite);
      return take(testsOfSuite(session, { suiteId, tag }, limit), limit);
    }
    return take(pages(client.tests.list, { project, tag, limit: pageSizeFor(limit) }), limit);
  },
  show: (list) =>
    table(
      list.items,
      [
        { title: "name", cell: ({ name }) => name, cut: true },
        { title: "version", cell: ({ version }) => String(version), right: true, spare: 2 },
        { title: "edited", cell: ({ updated_at }) => ago(updated_at), spare: 1 },
        idColumn,
        { title: "content", cell: contentSummary },
      ],
      'No tests. To create one: svc tests create --name "Books a slot" --scenario "…" --behavior "…"',
    ) + moreLine(list),
});

async function* testsOfSuite(
  { client, projectId, pages }: Session,
  filter: { suiteId: string; tag: string | undefined },
  limit: number,
): AsyncGenerator<Test> {
  const pageSize = pageSizeFor(limit);
  const tests = pages(client.tests.listOfSuite, { ...filter, projectId, pageSize });
  for await (const test of tests) yield toTest(test);
}

/** `--json` always prints the shape of the project's list, even for the tests of a suite. */
const toTest = (test: SuiteTest): Test => ({
  id: test.id,
  project_id: test.projectId,
  suite_id: test.suiteId,
  name: test.name,
  version: test.version,
  version_id: test.versionId,
  scenario: test.scenario,
  expected_behaviors: test.expectedBehaviors,
  readings: test.readings.map(({ decidedBy, ...reading }) => ({ ...reading, decided_by: decidedBy })),
  personas: test.personas,
  mock_tools: test.mockTools.map(({ delayMs: delay_ms, succeedsWhen, ...mock }) => ({
    ...mock,
    delay_ms,
    ...(succeedsWhen !== undefined && { succeeds_when: succeedsWhen }),
  })),
  tags: test.tags,
  created_at: test.createdAt,
  updated_at: test.updatedAt,
});
