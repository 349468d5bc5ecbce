import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { createStatements } from "../../packages/server/src/traces/store/duckdb/statements.ts";

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-statements-"));
  database = await openDatabase(dataDir, 64);
  await database.write.run("CREATE TABLE numbers (n BIGINT)");
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

const add = (from: number, to: number) =>
  database.write.run(`INSERT INTO numbers SELECT n FROM range(${from}, ${to}) t(n)`);

test.each<[string, string, bigint[]]>([
  ["beyond the largest value of that time", "SELECT count(*)::INTEGER AS found FROM numbers WHERE n >= 100", []],
  ["below the smallest value of that time", "SELECT count(*)::INTEGER AS found FROM numbers WHERE n < 0", []],
  ["beyond a bound value", "SELECT count(*)::INTEGER AS found FROM numbers WHERE n >= $1", [100n]],
  ["by the least of them", "SELECT (max(n) - 209 + 20)::INTEGER AS found FROM numbers WHERE n >= 100", []],
  [
    "in a join on a narrow range",
    "SELECT count(*)::INTEGER AS found FROM numbers a JOIN numbers b ON a.n = b.n WHERE a.n >= 100",
    [],
  ],
])("a kept plan finds rows that were added after it was made, %s", async (_, sql, values) => {
  await add(0, 10);
  const statements = createStatements(database.write);
  await statements.rowsOf(sql, values);
  await add(190, 210);
  await add(-20, 0);
  expect(await statements.rowsOf(sql, values)).toEqual([{ found: 20 }]);
  statements.close();
});

test("a statement whose plan was dropped for another runs again, and so does one whose table was created again", async () => {
  const statements = createStatements(database.write, 2);
  await add(0, 3);
  const count = "SELECT count(*)::INTEGER AS found FROM numbers WHERE n >= $1";
  for (const least of [0n, 1n, 2n]) {
    expect(await statements.rowsOf(count, [least])).toEqual([{ found: 3 - Number(least) }]);
    for (const other of [1, 2, 3]) expect(await statements.rowsOf(`SELECT ${other} AS n`)).toEqual([{ n: other }]);
  }
  await statements.rowsOf(count, [0n]);
  await database.write.run("CREATE OR REPLACE TABLE numbers (text VARCHAR, n BIGINT)");
  await database.write.run("INSERT INTO numbers VALUES ('x', 7)");
  expect(await statements.rowsOf(count, [0n])).toEqual([{ found: 1 }]);
  statements.close();
});
