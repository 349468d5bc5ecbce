import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase, rowsOf } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { KEYED_TRACES } from "../../packages/server/src/traces/store/duckdb/groups.ts";
import { listTraces } from "../../packages/server/src/traces/store/duckdb/list.ts";
import { createReadingWriter, deleteReadings } from "../../packages/server/src/traces/store/duckdb/readings.ts";
import { prepareTables } from "../../packages/server/src/traces/store/duckdb/schema.ts";
import { deleteUnusedSignatures, signReadings } from "../../packages/server/src/traces/store/duckdb/signatures.ts";
import { EMPTY_READING } from "../../packages/server/src/traces/store/reading.ts";
import { searchText } from "../../packages/server/src/stores/search-text.ts";
import { noFilters } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";

let dataDir = "";
let database: Database;
let writer: Awaited<ReturnType<typeof createReadingWriter>>;
let project = 0;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-signatures-"));
  database = await openDatabase(dataDir, 256);
  await prepareTables(database.write);
  writer = await createReadingWriter(database);
});
afterAll(() => {
  database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Letters that change their number or their bytes in lower case or in a normal form, among others. */
const letter = fc.constantFrom(
  ..."aAbBkKiIsS zZ09-\n",
  "\u{130}",
  "\u{131}",
  "\u{212a}",
  "\u{1e9e}",
  "\u{df}",
  "\u{3a3}",
  "\u{3c2}",
  "\u{fb01}",
  "\u{301}",
  "\u{e4}",
  "\u{ff21}",
  "\u{1d400}",
);
const text = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join("").toWellFormed());
const conversations = fc.array(
  fc.record({ agent: text, conversation: text, root_name: text, transcript: text, names: text }),
  { minLength: 1, maxLength: 6 },
);

test("a search finds the conversations whose texts contain the searched one, as a comparison of all texts does", async () => {
  await fc.assert(
    fc.asyncProperty(conversations, fc.array(text, { maxLength: 4 }), fc.nat(), async (list, others, cut) => {
      project++;
      const { write, read } = database;
      for (const [trace, { agent, conversation, root_name, transcript, names }] of list.entries()) {
        const name = `${conversation}${trace}`;
        await write.run(
          `INSERT INTO traces BY NAME SELECT ${project} AS project, ${trace} AS trace_id, 0 AS first_day, 0 AS last_day, 1 AS first_lsn,
             1 AS lsn, 0 AS started_ns, 1 AS spans, 0 AS errors, $1 AS conversation, $2 AS agent, 0 AS agent_start_ns,
             $3 AS root_name, 0 AS root_start_ns, 0 AS received_first_ms, 0 AS received_last_ms`,
          [name, agent, root_name],
        );
        await write.run(
          `CREATE OR REPLACE TEMP TABLE chosen AS SELECT *, 1 AS place FROM (${KEYED_TRACES}) WHERE project = ${project} AND trace_id = ${trace}`,
        );
        const texts = { transcript: searchText(transcript), names: searchText(names) };
        await writer.replace([{ ...EMPTY_READING, project, key: name, ...texts }], 1);
        if ((trace + cut) % 2 === 0) while (await signReadings(write));
      }
      const all = list.flatMap((texts) => Object.values(texts));
      const parts = all.map((whole) => whole.slice(cut % whole.length).toWellFormed());
      for (const search of [...others, ...parts, ...parts.map((part) => part.toUpperCase())]) {
        const sort = { by: "startedAt", descending: true } as const;
        const request = { project, limit: 100, sort, after: undefined, filters: { ...noFilters, search } };
        const found = (await listTraces(read, request)).rows.map(({ traceId }) => Number(`0x${traceId}`));
        const fold = (text: string) => `lower(nfc_normalize(${text}))`;
        const names = "concat_ws(chr(10), agent, conversation, root_name)";
        const expected = await rowsOf<{ trace: number }>(
          read,
          `SELECT trace_id::INTEGER AS trace FROM conversations WHERE project = ${project}
             AND (contains(transcript, $1) OR contains(names, $1) OR contains(${fold(names)}, ${fold("$2")}))`,
          [searchText(search), search],
        );
        expect(new Set(found), JSON.stringify(search)).toEqual(new Set(expected.map(({ trace }) => trace)));
      }
    }),
    { numRuns: IS_LONG ? 25 : 4 },
  );
}, 120_000);

test("a deleted conversation has no signature", async () => {
  const { write } = database;
  while (await signReadings(write));
  expect(await rowsOf(write, "SELECT reading FROM signatures")).not.toEqual([]);
  await deleteReadings(write, "SELECT reading FROM traces WHERE reading IS NOT NULL");
  await deleteUnusedSignatures(write);
  expect(await rowsOf(write, "FROM signatures")).toEqual([]);
});
