import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Database, openDatabase, rowsOf } from "../../packages/server/src/traces/store/duckdb/database.ts";
import {
  createWaiting,
  findDue,
  type WatchedTrace,
} from "../../packages/server/src/traces/store/duckdb/due-readings.ts";
import { prepareTables } from "../../packages/server/src/traces/store/duckdb/schema.ts";
import { traceIdOf } from "../support/ingest.ts";

const NOW_MS = 1_795_251_159_000;

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-due-"));
  database = await openDatabase(dataDir, 64);
  await prepareTables(database.write);
  await createWaiting(database.write);
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true });
});

type Trace = {
  name: string;
  spans?: number;
  readSpans?: number | null;
  receivedMs?: number;
  root?: string;
  readRoot?: string;
};

/** Stores a conversation that has spans outside its reading; it has 10 spans in its reading and got the last one now. */
async function store({ name, spans = 12, readSpans = 10, receivedMs = NOW_MS - 1_000, root, readRoot }: Trace) {
  const [trace] = await rowsOf<{ n: number }>(database.write, "SELECT count(*)::INTEGER + 1 AS n FROM traces");
  const id = `'${BigInt(`0x${traceIdOf(trace!.n)}`)}'::UHUGEINT`;
  const reading = readSpans === null ? "NULL" : String(trace!.n);
  const ended = (of: string | undefined) => (of === undefined ? "NULL, NULL" : `'${of}', 5`);
  await database.write.run(
    `INSERT INTO traces BY NAME SELECT 1 AS project, ${id} AS trace_id, 1 AS first_day, 1 AS last_day, 1 AS first_lsn,
       ${100 + trace!.n} AS lsn, 1 AS started_ns, ${spans} AS spans, 0 AS errors, '${name}' AS conversation,
       ${receivedMs - 500} AS received_first_ms, ${receivedMs} AS received_last_ms, 50 AS projected_lsn, ${reading} AS reading,
       r.name AS root_name, r.end AS root_end_ns FROM (VALUES (${ended(root)})) r(name, "end")`,
  );
  if (readSpans === null) return;
  await database.write.run(
    `INSERT INTO conversations BY NAME SELECT ${reading} AS reading, 1 AS project, ${id} AS trace_id, [${id}] AS trace_ids,
       1 AS traces, 'production' AS source, 1 AS started_ns, ${readSpans} AS spans, 0 AS errors, 1 AS received_last_ms,
       1 AS mapping_version, r.name AS root_name, r.end AS root_end_ns FROM (VALUES (${ended(readRoot)})) r(name, "end")`,
  );
}

async function dueNames({ look = 1, watched = [] as WatchedTrace[], all = false } = {}) {
  const found = await findDue(database.statements, look, { nowMs: NOW_MS, watched, all });
  const rows = await rowsOf<{ key: string }>(
    database.write,
    "SELECT key FROM temp.waiting WHERE place IS NOT NULL ORDER BY place",
  );
  return { ...found, names: rows.map(({ key }) => key) };
}

describe("a conversation with new spans", () => {
  test.each<[string, Omit<Trace, "name">]>([
    ["it was never read", { readSpans: null }],
    ["it has twice the spans of its reading", { spans: 20 }],
    ["its root has ended since", { root: "agent_session" }],
    ["the root of the whole has ended after the root of a part", { root: "agent_session", readRoot: "activity" }],
    ["it got no span for ten seconds", { receivedMs: NOW_MS - 10_000 }],
    ["the clock was set back", { receivedMs: NOW_MS + 3_600_000 }],
  ])("is due when %s", async (_, conversation) => {
    await store({ name: "one", ...conversation });
    expect(await dueNames()).toMatchObject({ names: ["one"], hasGrowing: false });
  });

  test.each<[string, Omit<Trace, "name">]>([
    ["grows", {}],
    ["goes on after its root has ended", { root: "agent_session", readRoot: "agent_session" }],
    ["gets another trace that ends, as each turn of it", { root: "turn", readRoot: "turn" }],
  ])("waits while it %s", async (_, conversation) => {
    await store({ name: "one", ...conversation });
    expect(await dueNames()).toMatchObject({ names: [], hasGrowing: true, dueSinceMs: undefined });
    expect(await dueNames({ all: true })).toMatchObject({ names: ["one"], hasGrowing: false });
  });

  test("is due first while someone reads it", async () => {
    for (const name of ["other", "watched"]) await store({ name, spans: name === "other" ? 20 : 12 });
    const watched = [{ project: 1, traceId: traceIdOf(2) }];
    expect((await dueNames({ watched })).names).toEqual(["watched", "other"]);
  });
});

test("the newest conversations are read first, and the oldest in one round of four", async () => {
  for (const name of ["a", "b", "c"]) await store({ name, readSpans: null });
  expect((await dueNames({ look: 1 })).names).toEqual(["c", "b", "a"]);
  expect((await dueNames({ look: 4 })).names).toEqual(["a", "b", "c"]);
});

test("the lag counts from the time at which the longest waiting conversation was due", async () => {
  await store({ name: "new", readSpans: null, receivedMs: NOW_MS - 3_000 });
  expect((await dueNames()).dueSinceMs).toBe(NOW_MS - 3_500);
  await store({ name: "quiet", receivedMs: NOW_MS - 25_000 });
  expect((await dueNames()).dueSinceMs).toBe(NOW_MS - 15_000);
});
