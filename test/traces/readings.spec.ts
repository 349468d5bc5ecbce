import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Database,
  inTransaction,
  openDatabase,
  rowsOf,
} from "../../packages/server/src/traces/store/duckdb/database.ts";
import { KEYED_TRACES } from "../../packages/server/src/traces/store/duckdb/groups.ts";
import { createReadingWriter } from "../../packages/server/src/traces/store/duckdb/readings.ts";
import { prepareTables } from "../../packages/server/src/traces/store/duckdb/schema.ts";
import { EMPTY_READING } from "../../packages/server/src/traces/store/reading.ts";

const MEMORY_MB = 128;

let dataDir: string;
let database: Database;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-readings-"));
  database = await openDatabase(dataDir, MEMORY_MB);
  await prepareTables(database.write);
});
afterAll(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

test("stored readings leave no memory behind", async () => {
  const { write } = database;
  const writer = await createReadingWriter(database);
  await write.run(`CREATE TEMP TABLE chosen AS SELECT *, 1 AS place FROM (${KEYED_TRACES}) LIMIT 0`);
  const transcript = "a word ".repeat(4_000);
  const readings = Array.from({ length: 64 }, (_, key) => ({
    ...EMPTY_READING,
    project: 1,
    key: `${key}`,
    transcript,
  }));
  for (let round = 0; round < 40; round++) {
    await inTransaction(write, () => writer.replace(readings, 1));
    await writer.free();
  }
  const [used] = await rowsOf<{ megabytes: number }>(
    write,
    "SELECT sum(memory_usage_bytes)::DOUBLE / 1e6 AS megabytes FROM duckdb_memory()",
  );
  expect(used!.megabytes).toBeLessThan(MEMORY_MB / 4);
});
