import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isStoreUnavailable } from "../packages/server/src/stores/relational.ts";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";

test("a transaction on a full disk fails with that reason, and the next transaction works", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
  const { db, embedded, close } = openSqlite(dataDir);
  const { engine } = embedded;
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
  await openSqlite(dataDir).close();
  const setHash = (sha256: string) => {
    const engine = new Database(join(dataDir, "relational.db"));
    engine.prepare("UPDATE migrations SET sha256 = ? WHERE name = '0002-tests.sql'").run(sha256);
    engine.close();
  };

  setHash("30a7bc518b6403a1fcd322cba6d135fce9a15afaf654a082ae0b6403ed46ca1f");
  await openSqlite(dataDir).close();
  setHash("0".repeat(64));
  expect(() => openSqlite(dataDir)).toThrow(/0002-tests\.sql was edited after it was applied/);
  rmSync(dataDir, { recursive: true });
});

describe("an upgrade", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "svc-spec-"));
    await openSqlite(dataDir).close();
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const copies = () => readdirSync(dataDir).filter((name) => name.startsWith("relational.before-"));
  const change = (sql: string) => {
    const engine = new Database(join(dataDir, "relational.db"));
    engine.exec(sql);
    engine.close();
  };
  /** Changes the store back to the state before its last migration. */
  const downgrade = () => change("DROP TABLE samples; DELETE FROM migrations WHERE name = '0027-samples.sql'");

  test("a new store has no copy, and neither has one without new migrations", async () => {
    await openSqlite(dataDir).close();
    expect(copies()).toEqual([]);
  });

  test("an upgrade first copies the store, for its owner only, as it was", async () => {
    downgrade();
    await openSqlite(dataDir).close();
    expect(copies()).toEqual(["relational.before-0027-samples.db"]);
    const copy = join(dataDir, copies()[0]!);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const engine = new Database(copy, { readonly: true });
    const names = engine.prepare<[], string>("SELECT name FROM migrations ORDER BY name").pluck().all();
    engine.close();
    expect([names.includes("0026-suites-of-runs.sql"), names.includes("0027-samples.sql")]).toEqual([true, false]);
  });

  test("a migration that fails changes nothing, and the refusal names the copy", () => {
    change("DELETE FROM migrations WHERE name = '0027-samples.sql'");
    expect(() => openSqlite(dataDir)).toThrow(
      /0027-samples\.sql failed and changed nothing: table samples already exists\. The copy .*before-0027-samples\.db/,
    );
  });

  test("a copy is removed after a week", async () => {
    downgrade();
    await openSqlite(dataDir).close();
    await openSqlite(dataDir).close();
    expect(copies()).toHaveLength(1);
    const old = Date.now() / 1000 - 8 * 24 * 60 * 60;
    utimesSync(join(dataDir, copies()[0]!), old, old);
    await openSqlite(dataDir).close();
    expect(copies()).toEqual([]);
  });

  test("a store of a newer version is refused in one sentence", () => {
    change("INSERT INTO migrations VALUES ('9999-later.sql', '', '')");
    expect(() => openSqlite(dataDir)).toThrow(
      /^A newer version wrote this data folder \(migration 9999-later\.sql\)\. Start that version\.$/,
    );
  });
});
