import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type CompiledQuery, Kysely, SqliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDeliveryStore, type DeliveryStore } from "../../packages/server/src/notifications/store/deliveries.ts";
import type { Schema } from "../../packages/server/src/stores/schema.ts";
import { openStoreOf } from "../support/engine.ts";

describe.skipIf(process.env.SPEC_DATABASE_URL !== undefined)("on SQLite, with many waiting deliveries", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-plan-"));
  const statements: CompiledQuery[] = [];
  let engine: Database.Database;
  let db: Kysely<Schema>;
  beforeAll(async () => {
    await (await openStoreOf(folder)).close();
    engine = new Database(join(folder, "relational.db"));
    const dialect = new SqliteDialect({ database: engine });
    db = new Kysely<Schema>({ dialect, log: ({ query }) => void statements.push(query) });
  });
  afterAll(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });

  /** Returns the steps with which the database executes the statements of `ask`. */
  async function stepsOf(ask: (store: DeliveryStore) => Promise<unknown[]>): Promise<string[]> {
    statements.length = 0;
    expect(await ask(createDeliveryStore(db))).toEqual([]);
    return statements.flatMap(({ sql, parameters }) =>
      engine
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail),
    );
  }

  test("the next delivery of a destination is found without sorting them", async () => {
    const steps = await stepsOf((store) => store.nextDue("dst_1", Date.now()));
    expect(steps).toContain("SEARCH deliveries USING INDEX deliveries_by_turn (destination_id=?)");
    expect(steps.join()).not.toContain("TEMP B-TREE");
  });

  test("a scrape counts them in one index without any other delivery, and reads no row of a delivery", async () => {
    const steps = await stepsOf((store) => store.countWaiting());
    expect(steps.filter((step) => step.includes("deliveries"))).toEqual([
      "SCAN deliveries USING COVERING INDEX deliveries_waiting",
    ]);
    expect(steps.filter((step) => step.includes("destinations"))).toEqual([
      expect.stringMatching(/^SEARCH destinations USING INDEX \S+ \(id=\?\)$/),
    ]);
    expect(statements).toHaveLength(1);
  });
});
