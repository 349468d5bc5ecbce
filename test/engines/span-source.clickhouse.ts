import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import {
  createDeletedConversations,
  digestOf,
} from "../../packages/server/src/traces/erasure/deleted-conversations.ts";
import { openJournal } from "../../packages/server/src/traces/journal/journal.ts";
import { segmentsIn } from "../../packages/server/src/traces/journal/segments.ts";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { DAY_MS } from "../../packages/server/src/traces/store/day.ts";
import { openMovedSpans, openSpanSource } from "../../packages/server/src/traces/store/open.ts";
import type { SpanSource, SpanTarget } from "../../packages/server/src/traces/store/trace-store.ts";
import { writeSpanJournal } from "../../packages/server/src/traces/journal/write-span-journal.ts";
import { clickHouseOf, databaseOf } from "../support/engine.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { anyRequest } from "../support/otlp-arbitrary.ts";
import { attribute, encodeProtobuf, type OtlpSpan } from "../support/otlp.ts";
import "../support/property-seed.ts";
import { readRows, type SpanRow } from "../support/span-rows.ts";

const FIRST_US = Date.UTC(2026, 0, 1) * 1000;
const DAY_US = DAY_MS * 1000;

let folder: string;
let relational: Relational;
let target: SpanTarget;
let source: SpanSource;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-spans-"));
  const url = (await clickHouseOf(folder))!;
  relational = await openPostgres((await databaseOf(folder))!);
  target = await openMovedSpans(url, relational.db);
  source = await openSpanSource(url, relational.db);
});
afterEach(async () => {
  await source.close();
  await target.close();
  await relational.close();
  rmSync(folder, { recursive: true, force: true });
});

const decoder = createDecoder();

/** Stores the spans of a body in ClickHouse. `receivedUs` returns the microsecond of receipt for a span's index in the body. */
async function store(body: Buffer, receivedUs: (at: number) => number, project = 1): Promise<void> {
  const batch = new SpanBatch();
  decoder.decodeProtobuf(body, batch, { project, receivedMs: 0, lsn: 0 });
  for (let row = 0; row < batch.rows; row++) batch.columns.lsn[row] = receivedUs(row);
  await target.store(batch);
}

const bodyOf = (spans: OtlpSpan[]) => encodeProtobuf(requestOf(spans));

/** Returns the parts of a row that ClickHouse stores, and the millisecond of its receipt. */
const keptOf = (row: SpanRow) => {
  const { lsn: _, flags, trace_state, dropped_attributes, dropped_events, dropped_links, ...kept } = row;
  return kept;
};

/** Writes the journal, and returns the spans of its bodies in the order of the journal. */
async function writtenSpans(deleted = createDeletedConversations()) {
  await target.index(() => undefined);
  const journal = mkdtempSync(join(folder, "journal-"));
  const positions: number[] = [];
  await writeSpanJournal({ source, journal, deleted, onWritten: (spans) => positions.push(spans) });
  const opened = openJournal(journal);
  const rows: SpanRow[] = [];
  let records = 0;
  for (const placed of opened.recordsAbove(0, () => undefined)) {
    if (placed === undefined) break;
    expect(placed.record.lsn).toBe(++records);
    const batch = new SpanBatch();
    decoder.decodeRecord(placed.record, batch);
    rows.push(...readRows(batch));
  }
  await opened.close();
  return { rows, records, positions, segments: segmentsIn(journal).length };
}

test("any spans of any projects decode into the same columns, with the milliseconds of their receipt", async () => {
  const bodies = fc.sample(anyRequest, 60).map(encodeProtobuf);
  const sent: SpanRow[] = [];
  for (const [at, body] of bodies.entries()) {
    const project = 1 + (at % 3);
    const receivedMs = FIRST_US / 1000 + at * 3_600_000;
    const batch = new SpanBatch();
    decoder.decodeProtobuf(body, batch, { project, receivedMs, lsn: 0 });
    sent.push(...readRows(batch));
    await store(body, (row) => receivedMs * 1000 + row, project);
  }
  expect(sent.length).toBeGreaterThan(30);
  const { rows, segments } = await writtenSpans();
  expect(rows.map(keptOf)).toEqual(sent.map(keptOf));
  expect(segments).toBe(3);
});

test("more spans than a page holds come in the order of their receipt, including those of one microsecond", async () => {
  const spans = Array.from({ length: 20_000 }, (_, at) => spanOf(at % 700, Math.floor(at / 700)));
  await store(bodyOf(spans), (at) => FIRST_US + at);
  await store(bodyOf(spans.map((span) => ({ ...span, name: "again" }))), () => FIRST_US + DAY_US);
  const { rows, positions } = await writtenSpans();
  expect(rows).toHaveLength(40_000);
  expect(rows.slice(0, 20_000).map(({ name }) => name)).toEqual(spans.map(({ name }) => name));
  expect(new Set(rows.slice(20_000).map(({ trace_id, span_id }) => `${trace_id} ${span_id}`)).size).toBe(20_000);
  expect(positions.length).toBeGreaterThan(3);
}, 60_000);

test("spans with large texts come in pages and bodies of limited size", async () => {
  const text = "x".repeat(1_000_000);
  const spans = Array.from({ length: 40 }, (_, at) => spanOf(at, 0, { attributes: [attribute("text", text)] }));
  await store(bodyOf(spans), () => FIRST_US);
  const { rows, records, positions } = await writtenSpans();
  expect(rows).toHaveLength(40);
  expect(positions.length).toBeGreaterThan(2);
  expect(records).toBeGreaterThan(10);
}, 60_000);

test("spans of deleted conversations, and of traces outside the index, stay behind", async () => {
  const job = (name: string) => ({ attributes: [attribute("lk.job_id", name)] });
  await store(bodyOf([spanOf(1, 1, job("deleted")), spanOf(2, 1, job("kept")), spanOf(3, 1)]), (at) => FIRST_US + at);
  const deleted = createDeletedConversations();
  deleted.add(1, [digestOf("name", "deleted"), digestOf("trace", traceIdOf(3))]);
  expect((await writtenSpans(deleted)).rows.map(({ trace_id }) => trace_id)).toEqual([traceIdOf(2)]);
  await target.index(() => undefined);
  await relational.db.deleteFrom("traces" as never).execute();
  await writeSpanJournal({
    source,
    journal: join(folder, "none"),
    deleted,
    onWritten: (spans) => expect(spans).toBe(0),
  });
});
