import { newId } from "../../packages/server/src/base/ids.ts";
import { openStoreOf } from "./engine.ts";
import type { TestServer } from "./server.ts";
import { aTest } from "./world.ts";

/**
 * Creates a test whose current version has these behaviors, without the service's check, as an early version of the service stored
 * them.
 */
export async function storedTest({ client, dataDir }: TestServer, behaviors: string[], scenario = "A caller.") {
  const made = await client.tests.create(aTest({ scenario }));
  const id = newId("tstv");
  const { db, close } = await openStoreOf(dataDir);
  const version = db.selectFrom("test_versions").selectAll().where("id", "=", made.version_id);
  const expected_behaviors = JSON.stringify(behaviors);
  await db
    .insertInto("test_versions")
    .values({ ...(await version.executeTakeFirstOrThrow()), id, version: 2, expected_behaviors })
    .execute();
  await db.updateTable("tests").set({ current_version_id: id }).where("id", "=", made.id).execute();
  await close();
  return client.tests.get({ testId: made.id });
}
