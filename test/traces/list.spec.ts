import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TraceCursor, TraceFilters, TraceSort } from "../../packages/server/src/traces/rules.ts";
import { type Database, openDatabase } from "../../packages/server/src/traces/store/duckdb/database.ts";
import { listTraces } from "../../packages/server/src/traces/store/duckdb/list.ts";
import { findSummary } from "../../packages/server/src/traces/store/duckdb/reads.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { liveKitRequest } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { attribute, encodeJson } from "../support/otlp.ts";

const CALLS = 10;
const folder = mkdtempSync(join(tmpdir(), "svc-list-"));
let database: Database;
let whole: TraceSummaryRow[];

/** Stores ten calls with latencies, some of several traces, and five unnamed traces; then opens the database directly. */
beforeAll(async () => {
  const ingest = await openIngest({ dataDir: folder });
  const request = liveKitRequest(3, { spans: 400, conversations: CALLS });
  await ingest.intake.take({
    project: 1,
    encoding: "json",
    compression: "identity",
    chunks: [Buffer.from(encodeJson(request))],
  });
  await ingest.intake.drain();
  const jobs = (await ingest.traces(1)).map(({ conversation }) => attribute("lk.job_id", conversation));
  for (let n = 0; n < 12; n++) await ingest.take(1, [spanOf(n, 1, { attributes: [jobs[n % 4]!] })]);
  for (let n = 0; n < 5; n++) await ingest.take(1, [spanOf(100 + n, 0, { status: { code: 2 } })]);
  await ingest.take(2, [spanOf(1, 0)]);
  await ingest.intake.drain();
  await ingest.close();
  database = await openDatabase(folder, 256);
  whole = (await list()).rows;
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type ListOptions = { sort?: TraceSort; limit?: number; after?: TraceCursor | null; filters?: Partial<TraceFilters> };

const list = ({ sort = { by: "startedAt", descending: true }, limit = 100, after, filters }: ListOptions = {}) =>
  listTraces(database.read, {
    project: 1,
    limit,
    sort,
    after: after ?? undefined,
    filters: { ...noFilters, ...filters },
  });

async function paged(options: ListOptions): Promise<TraceSummaryRow[]> {
  const rows: TraceSummaryRow[] = [];
  for (let page = await list(options); ; page = await list({ ...options, after: page.next })) {
    rows.push(...page.rows);
    if (page.next === null) return rows;
  }
}

const whileChanged = (row: TraceSummaryRow) => ({
  ...row,
  isRead: false,
  turns: null,
  toolCalls: null,
  latency: null,
  interruptions: null,
  qualityTopics: null,
});

const ids = (traces: readonly string[]) => traces.map((id) => `${BigInt(`0x${id}`)}`).join(", ");
const change = (traces: readonly string[], set = "projected_lsn = 0") =>
  database.write.run(`UPDATE traces SET ${set} WHERE project = 1 AND trace_id IN (${ids(traces)})`);

describe("a list with conversations that changed after they were read", () => {
  const sort = fc.record({
    by: fc.constantFrom<TraceSort["by"]>("startedAt", "duration", "latency", "lastReceived"),
    descending: fc.boolean(),
  });
  const filters = fc.constantFrom<Partial<TraceFilters>>({}, { status: "error" }, { search: "agent-1" });

  test("a list has each conversation once with its sums, in order, on pages of any size, while some have changed since they were read", async () => {
    expect(whole.map(({ isRead }) => isRead)).toEqual(Array.from({ length: CALLS + 5 }, () => true));
    expect(whole.filter(({ latency }) => latency !== null).length).toBeGreaterThan(5);
    const traces = whole.flatMap(({ traceIds }) => traceIds);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(traces, { minLength: 1 }),
        sort,
        filters,
        fc.integer({ min: 1, max: 20 }),
        async (some, by, filter, limit) => {
          await change(some);
          const changed = new Set(some);
          const isChanged = ({ traceIds }: TraceSummaryRow) => traceIds.some((id) => changed.has(id));
          const rows = await paged({ sort: by, limit, filters: filter });
          const before = (await list({ filters: filter })).rows;
          const expected = new Map(whole.map((row) => [row.traceId, isChanged(row) ? whileChanged(row) : row]));
          for (const row of rows) expect(row).toEqual(expected.get(row.traceId));
          expect(rows.map(({ traceId }) => traceId).toSorted()).toEqual(
            before.map(({ traceId }) => traceId).toSorted(),
          );
          for (const row of whole)
            expect(await findSummary(database.read, 1, row.traceId)).toEqual(expected.get(row.traceId));
          await change(traces, "projected_lsn = lsn");
          if (by.by === "latency") return;
          expect(rows.map(({ traceId }) => traceId)).toEqual(
            (await list({ sort: by, filters: filter })).rows.map(({ traceId }) => traceId),
          );
        },
      ),
      { numRuns: IS_LONG ? 10 : 4 },
    );
  });

  test("a list shows new sums for the conversation that a trace left and for the one that it joined", async () => {
    const [left, joined] = [whole.find(({ traces }) => traces > 1)!, whole.find(({ traces }) => traces === 1)!];
    const mover = left.traceIds.at(-1)!;
    await change([mover], `conversation = '${joined.conversation ?? joined.traceId.toUpperCase()}', projected_lsn = 0`);
    const rows = (await list()).rows;
    const rowOf = (trace: string) => rows.find(({ traceIds }) => traceIds.includes(trace))!;
    expect(rowOf(left.traceId)).toMatchObject({ isRead: false, turns: null, traces: left.traces - 1 });
    expect(rowOf(joined.traceId)).toMatchObject({ isRead: false, turns: null, traces: 2 });
    expect(rowOf(mover)).toBe(rowOf(joined.traceId));
    for (const row of rows) expect(await findSummary(database.read, 1, row.traceId)).toEqual(row);
    expect(rows.filter(({ isRead }) => !isRead)).toHaveLength(2);
  });
});

test("conversations in a store of the previous format are read again when it is opened", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-format-"));
  const said = [attribute("lk.user_transcript", "Hello?")];
  let ingest = await openIngest({ dataDir });
  await ingest.take(1, [spanOf(1, 0), spanOf(1, 1, { name: "user_turn", attributes: said })]);
  await ingest.intake.drain();
  const before = await ingest.traces(1);
  await ingest.close();
  const { write, close } = await openDatabase(dataDir, 256);
  await write.run("DROP TABLE conversations");
  await write.run("CREATE TABLE conversations (reading BIGINT, project UINTEGER, turns UINTEGER)");
  await write.run("INSERT INTO conversations VALUES (1, 1, 1)");
  await write.run("UPDATE ingest_state SET schema_version = 2");
  close();
  ingest = await openIngest({ dataDir });
  await ingest.intake.drain();
  expect(await ingest.traces(1)).toEqual(before);
  expect(before).toMatchObject([{ traceId: traceIdOf(1), isRead: true, turns: 1, preview: "Hello?" }]);
  await ingest.close();
  rmSync(dataDir, { recursive: true });
});
