import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type CompiledQuery, Kysely, SqliteDialect } from "kysely";
import { expect, test } from "vitest";
import { createDeliveryStore } from "../../packages/server/src/notifications/store/deliveries.ts";
import type { Schema } from "../../packages/server/src/stores/schema.ts";
import { openStoreOf } from "../support/engine.ts";

test("on SQLite, the next delivery of a destination with many waiting ones is found without sorting them", async (context) => {
  context.skip(process.env.SPEC_DATABASE_URL !== undefined, "the plan is that of SQLite");
  const folder = mkdtempSync(join(tmpdir(), "svc-plan-"));
  await (await openStoreOf(folder)).close();
  const engine = new Database(join(folder, "relational.db"));
  const statements: CompiledQuery[] = [];
  const dialect = new SqliteDialect({ database: engine });
  const db = new Kysely<Schema>({ dialect, log: ({ query }) => void statements.push(query) });

  expect(await createDeliveryStore(db).nextDue("dst_1", Date.now())).toEqual([]);
  const steps = statements.flatMap(({ sql, parameters }) =>
    engine
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail),
  );
  expect(steps).toContain("SEARCH deliveries USING INDEX deliveries_by_turn (destination_id=?)");
  expect(steps.join()).not.toContain("TEMP B-TREE");

  await db.destroy();
  rmSync(folder, { recursive: true });
});
