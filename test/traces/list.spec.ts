import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listConversations } from "../../packages/server/src/traces/store/index/list.ts";
import { findSummary } from "../../packages/server/src/traces/store/index/reads.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import type { TraceCursor, TraceFilters, TraceSort } from "../../packages/server/src/traces/rules.ts";
import { createCountSpans } from "../../packages/server/src/traces/store/folder/bodies.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import { openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import type { SqliteFile } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { noFilters, openIngest, silent, spanOf, traceIdOf } from "../support/ingest.ts";
import { liveKitRequest } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { attribute, encodeJson } from "../support/otlp.ts";
import { sumsOf } from "../support/trace-index.ts";

const CALLS = 10;
const folder = mkdtempSync(join(tmpdir(), "svc-list-"));
let index: SqliteFile;
let whole: TraceSummaryRow[];

/** Stores ten calls with latencies, some of several traces, and five unnamed traces; then opens the index directly. */
beforeAll(async () => {
  const ingest = await openIngest({ dataDir: folder, embedded: true });
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
  index = await openIndexFile(folder, (error) => {
    throw error;
  });
  whole = (await list()).rows;
});
afterAll(async () => {
  await index.close();
  rmSync(folder, { recursive: true });
});

type ListOptions = { sort?: TraceSort; limit?: number; after?: TraceCursor | null; filters?: Partial<TraceFilters> };

const find = (traceId: string) => findSummary(createCountSpans(index.db), index.db, 1, traceId);

const list = ({ sort = { by: "startedAt", descending: true }, limit = 100, after, filters }: ListOptions = {}) =>
  listConversations(createCountSpans(index.db), index.db, {
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
  textResponse: null,
  interruptions: null,
  qualityTopics: null,
});

/** Makes conversations appear as if spans arrived after they were read. With `by` -1, reverts this. */
const change = (keys: readonly string[], by: 1 | -1 = 1) =>
  index.engine
    .prepare(
      "UPDATE conversations SET change = change + ? WHERE project = 1 AND key IN (SELECT value FROM json_each(?))",
    )
    .run(by, JSON.stringify(keys));

const keyOf = ({ conversation, traceId }: TraceSummaryRow) => conversation ?? traceId;

describe("a list with conversations that changed after they were derived", () => {
  const sort = fc.record({
    by: fc.constantFrom<TraceSort["by"]>("startedAt", "duration", "latency", "slowest", "lastReceived"),
    descending: fc.boolean(),
  });
  const filters = fc.constantFrom<Partial<TraceFilters>>(
    {},
    { status: "error" },
    { search: "agent-1" },
    { search: "e" },
  );

  test("a list has each conversation once with its sums, in order, on pages of any size, while some have changed since they were derived", async () => {
    expect(whole.map(({ isRead }) => isRead)).toEqual(Array.from({ length: CALLS + 5 }, () => true));
    expect(whole.filter(({ latency }) => latency !== null).length).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(whole.map(keyOf), { minLength: 1 }),
        sort,
        filters,
        fc.integer({ min: 1, max: 20 }),
        async (some, by, filter, limit) => {
          change(some);
          const changed = new Set(some);
          const isChanged = (row: TraceSummaryRow) => changed.has(keyOf(row));
          const rows = await paged({ sort: by, limit, filters: filter });
          const before = (await list({ filters: filter })).rows;
          const expected = new Map(whole.map((row) => [row.traceId, isChanged(row) ? whileChanged(row) : row]));
          for (const row of rows) expect(row).toEqual(expected.get(row.traceId));
          expect(rows.map(({ traceId }) => traceId).toSorted()).toEqual(
            before.map(({ traceId }) => traceId).toSorted(),
          );
          for (const row of whole) expect(await find(row.traceId)).toEqual(expected.get(row.traceId));
          change(some, -1);
          if (by.by === "latency" || by.by === "slowest") return;
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
    const name = { conversation: keyOf(joined), conversationRank: -1 };
    await addSums(index.db, [sumsOf(0, { ...name, traceId: mover, startedNs: 2n ** 62n })]);
    const rows = (await list()).rows;
    const rowOf = (trace: string) => rows.find(({ traceIds }) => traceIds.includes(trace))!;
    expect(rowOf(left.traceId)).toMatchObject({ isRead: false, turns: null, traces: left.traces - 1 });
    expect(rowOf(joined.traceId)).toMatchObject({ isRead: false, turns: null, traces: 2 });
    expect(rowOf(mover)).toBe(rowOf(joined.traceId));
    for (const row of rows) expect(await find(row.traceId)).toEqual(row);
    expect(rows.filter(({ isRead }) => !isRead)).toHaveLength(2);
  });
});

describe("a folder of a former version", () => {
  const FORMER = ["analytics.duckdb", "analytics.duckdb.wal", "analytics.sums", "analytics.blocks"];

  test("a folder of a former version opens: its conversations are derived again from the journal, and its old files are removed once all of them are stored", async () => {
    const root = mkdtempSync(join(tmpdir(), "svc-former-"));
    const [written, dataDir] = [join(root, "written"), join(root, "former")];
    const said = [attribute("lk.user_transcript", "Hello?")];
    let ingest = await openIngest({ dataDir: written, embedded: true });
    await ingest.take(1, [spanOf(1, 0), spanOf(1, 1, { name: "user_turn", attributes: said })]);
    await ingest.intake.drain();
    const before = await ingest.traces(1);
    await ingest.close();
    cpSync(join(written, "journal"), join(dataDir, "journal"), { recursive: true });
    for (const name of FORMER) writeFileSync(join(dataDir, name), `the bytes of ${name}`);
    const kept = () => readdirSync(dataDir).filter((name) => name.startsWith("analytics"));

    const store = await openTraceStore({ dataDir, log: silent });
    expect(kept()).toHaveLength(FORMER.length);
    store.loader.holdReads(true);
    await expect(store.reader.findSummary(1, traceIdOf(1))).rejects.toMatchObject({ code: "unavailable" });
    await store.close();
    expect(kept(), "nothing was loaded").toHaveLength(FORMER.length);

    ingest = await openIngest({ dataDir, embedded: true });
    await ingest.intake.drain();
    expect(await ingest.traces(1)).toEqual(before);
    expect(before).toMatchObject([
      { traceId: traceIdOf(1), isRead: true, turns: 1, preview: { text: "Hello?", role: "user" } },
    ]);
    expect(kept()).toEqual([]);
    expect(existsSync(join(dataDir, "traces.db"))).toBe(true);
    await ingest.close();
    rmSync(root, { recursive: true });
  });
});
