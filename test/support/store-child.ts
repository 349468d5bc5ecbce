import { sql } from "kysely";
import { openChecksums } from "../../packages/server/src/stores/sqlite/checksums.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";

// A process that writes to the relational store until a spec kills it. It reports each acknowledged row by its number.
const [dataDir] = process.argv.slice(2) as [string];
const { db } = openSqlite(
  dataDir,
  openChecksums(dataDir, (error) => {
    if (error !== undefined) throw error;
  }),
);
await sql`CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, text TEXT)`.execute(db);
const { rows } = await sql<{ last: number }>`SELECT coalesce(max(number), 0) AS last FROM rows`.execute(db);
process.send!(rows[0]!.last);
for (let number = rows[0]!.last + 1; ; number++) {
  const bytes = number % 50 === 0 ? 2_000_000 : 3_000;
  await db.transaction().execute(async (tx) => {
    await sql`INSERT INTO rows VALUES (${number}, ${"x".repeat(bytes)})`.execute(tx);
    await sql`DELETE FROM rows WHERE number = ${number - 40}`.execute(tx);
  });
  process.send!(number);
  if (number % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
}
