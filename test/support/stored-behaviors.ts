import { join } from "node:path";
import Database from "better-sqlite3";
import type { TestServer } from "./server.ts";
import { aTest } from "./world.ts";

/** Creates a test whose current version has these behaviors, as a service that read no behaviors stored them. */
export async function storedTest({ client, dataDir }: TestServer, behaviors: string[], scenario = "A caller.") {
  const made = await client.tests.create(aTest({ scenario }));
  const id = made.version_id.replace(/.{4}$/, "zzzz");
  const database = new Database(join(dataDir, "relational.db"));
  database
    .prepare(
      "INSERT INTO test_versions SELECT ?, test_id, 2, scenario, ?, personas, persona_ids, mock_tools, created_at FROM test_versions WHERE id = ?",
    )
    .run(id, JSON.stringify(behaviors), made.version_id);
  database.prepare("UPDATE tests SET current_version_id = ? WHERE id = ?").run(id, made.id);
  database.close();
  return client.tests.get({ testId: made.id });
}
