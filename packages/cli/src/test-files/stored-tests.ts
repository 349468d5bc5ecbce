import type { ApiBehaviorReading } from "@svc/contract";
import { take } from "../terminal/list.ts";
import { idOf } from "../look-up.ts";
import type { Session } from "../session/session.ts";
import { type TestDocument, testDocumentOf } from "./test-file.ts";

export type StoredTest = TestDocument & {
  id: string;
  version_id: string;
  readings: ApiBehaviorReading[];
  suite: string;
  suite_id: string;
  isInDefaultSuite: boolean;
  tags: string[];
};

/** The tests are ordered oldest first. */
export async function readStoredTests(session: Session, suite: string | undefined): Promise<StoredTest[]> {
  const { client, projectId, pages } = session;
  const suiteId = suite === undefined ? undefined : await idOf(session, "suite", suite);
  const suites = await take(pages(client.suites.list, { projectId, pageSize: 200 }), Infinity);
  const suiteOf = new Map(suites.items.map((one) => [one.id, one]));
  const { items } = await take(pages(client.tests.list, { project: projectId, limit: 200 }), Infinity);
  return items
    .filter((test) => suiteId === undefined || test.suite_id === suiteId)
    .reverse()
    .map((test) => ({
      ...testDocumentOf(test),
      id: test.id,
      version_id: test.version_id,
      readings: test.readings,
      suite: suiteOf.get(test.suite_id)?.name ?? test.suite_id,
      suite_id: test.suite_id,
      isInDefaultSuite: suiteOf.get(test.suite_id)?.isDefault ?? false,
      tags: test.tags,
    }));
}
