import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { isStoreUnavailable, openRelational } from "../packages/server/src/stores/relational.ts";

test("a transaction on a full disk fails with that reason, and the next transaction works", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const { db, engine, close } = openRelational(dataDir);
  const insert = (bytes: number) =>
    db.transaction().execute((tx) => sql`INSERT INTO filler VALUES (zeroblob(${bytes}))`.execute(tx));
  await sql`CREATE TABLE filler (bytes BLOB)`.execute(db);
  const pages = engine.pragma("page_count", { simple: true }) as number;
  engine.pragma(`max_page_count = ${pages + 100}`);

  const error: unknown = await insert(10_000_000).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "SQLITE_FULL" });
  expect(isStoreUnavailable(error)).toBe(true);
  await insert(1);

  await close();
  rmSync(dataDir, { recursive: true });
});

test("an applied migration with its former comments is accepted; any other difference stops the start", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  await openRelational(dataDir).close();
  const setHash = (sha256: string) => {
    const engine = new Database(join(dataDir, "relational.db"));
    engine.prepare("UPDATE migrations SET sha256 = ? WHERE name = '0002-tests.sql'").run(sha256);
    engine.close();
  };

  setHash("30a7bc518b6403a1fcd322cba6d135fce9a15afaf654a082ae0b6403ed46ca1f");
  await openRelational(dataDir).close();
  setHash("0".repeat(64));
  expect(() => openRelational(dataDir)).toThrow(/0002-tests\.sql was edited after it was applied/);
  rmSync(dataDir, { recursive: true });
});
