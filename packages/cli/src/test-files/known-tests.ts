import type { Connection } from "../connection.ts";
import { take } from "../list.ts";
import { suiteIdOf } from "../names.ts";
import { testFileOf } from "./test-file.ts";

/** The project's tests, oldest first; of one suite when it is named. */
export async function knownTests(connection: Connection, suite: string | undefined) {
  const { client, project, pages } = connection;
  const suiteId = suite === undefined ? undefined : await suiteIdOf(connection, suite);
  const all = pages((cursor) => client.tests.list({ project, cursor, limit: 200 }));
  const { items } = await take(all, Infinity);
  const wanted = suiteId === undefined ? items : items.filter((test) => test.suite_id === suiteId);
  return wanted.reverse().map((test) => ({ ...testFileOf(test), id: test.id, version_id: test.version_id }));
}
