import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPostgres } from "../../packages/server/src/stores/postgres/postgres.ts";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import {
  createDeletedConversations,
  digestOf,
} from "../../packages/server/src/traces/erasure/deleted-conversations.ts";
import { type JournalPosition, storeJournalSpans } from "../../packages/server/src/traces/journal/journal-spans.ts";
import { openJournal } from "../../packages/server/src/traces/journal/journal.ts";
import { openMovedSpans } from "../../packages/server/src/traces/store/open.ts";
import type { SpanTarget } from "../../packages/server/src/traces/store/trace-store.ts";
import { DAY_MS } from "../../packages/server/src/traces/store/day.ts";
import { clickHouseOf, databaseOf } from "../support/engine.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, encodeProtobuf, type OtlpSpan } from "../support/otlp.ts";

const START: JournalPosition = { lsn: 0, receivedUs: 0, unreadableRecords: 0 };
const FIRST_MS = Date.UTC(2026, 0, 1);

let folder: string;
let clickHouseUrl: string;
let relational: Relational;
let target: SpanTarget;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-journal-"));
  clickHouseUrl = (await clickHouseOf(folder))!;
  relational = await openPostgres((await databaseOf(folder))!);
  target = await openMovedSpans(clickHouseUrl, relational.db);
});
afterEach(async () => {
  await target.close();
  await relational.close();
  rmSync(folder, { recursive: true, force: true });
});

async function writeJournal(bodies: readonly { receivedMs: number; body: Buffer }[]): Promise<void> {
  const journal = openJournal(folder);
  for (const [at, { receivedMs, body }] of bodies.entries()) {
    const record = { lsn: at + 1, project: 1, receivedMs, encoding: "protobuf", compression: "identity" } as const;
    await new Promise<void>((resolve, reject) =>
      journal.append({ ...record, chunks: [body] }, (error) => (error === null ? resolve() : reject(error as Error))),
    );
  }
  await journal.close();
}

const bodyOf = (...spans: OtlpSpan[]) => Buffer.from(encodeProtobuf(requestOf(spans)));

async function storedSpans(): Promise<{ received: string; name: string }[]> {
  const url = new URL(clickHouseUrl);
  const database = url.pathname.slice(1);
  const client = createClient({ url: url.origin });
  const query = `SELECT toString(received_us) AS received, name FROM ${database}.spans FINAL ORDER BY received_us`;
  const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{ received: string; name: string }>();
  await client.close();
  return rows;
}

const move = (from = START, deleted = createDeletedConversations(), onStored = async (_: JournalPosition) => {}) =>
  storeJournalSpans({ journal: folder, target, deleted, onStored }, from);

test("spans of more days than one INSERT takes keep the days of their receipt", async () => {
  const days = Array.from({ length: 120 }, (_, day) => FIRST_MS + day * DAY_MS);
  await writeJournal(days.map((receivedMs, at) => ({ receivedMs, body: bodyOf(spanOf(at, 1)) })));
  const positions: JournalPosition[] = [];
  await move(START, undefined, async (position) => void positions.push(position));
  expect(positions.map(({ lsn }) => lsn)).toEqual([50, 100, 120]);
  const received = (await storedSpans()).map((span) => Math.floor(Number(span.received) / 1000));
  expect(received).toEqual(days);
});

test("a repeat from any position stores the same rows", async () => {
  const bodies = Array.from({ length: 60 }, (_, at) => ({
    receivedMs: FIRST_MS + at * DAY_MS,
    body: bodyOf(spanOf(1, (at % 7) + 1, { name: `copy ${at}` }), spanOf(at, 9)),
  }));
  await writeJournal(bodies);
  const positions: JournalPosition[] = [];
  await move(START, undefined, async (position) => void positions.push(position));
  const once = await storedSpans();
  for (const position of [START, ...positions]) await move(position);
  expect(await storedSpans()).toEqual(once);
  await target.index(() => undefined);
  await target.index(() => undefined);
  const { rows } = await sql<object>`
    SELECT spans, received_last_ms AS last FROM traces WHERE trace_id = ${traceIdOf(1)}`.execute(relational.db);
  expect(rows).toEqual([{ spans: 8, last: FIRST_MS + 6 * DAY_MS }]);
});

test("spans keep the times of a clock that leapt back, and a body that cannot be decoded is counted", async () => {
  await writeJournal([
    { receivedMs: FIRST_MS + 3 * DAY_MS, body: bodyOf(spanOf(1, 1, { name: "ahead" })) },
    { receivedMs: FIRST_MS, body: bodyOf(spanOf(2, 1, { name: "right" })) },
    { receivedMs: FIRST_MS, body: Buffer.from("no request") },
    { receivedMs: FIRST_MS + 1, body: bodyOf(spanOf(3, 1, { name: "later" })) },
  ]);
  expect(await move()).toMatchObject({ lsn: 4, unreadableRecords: 1 });
  expect((await storedSpans()).map(({ received, name }) => [name, Number(received) - FIRST_MS * 1000])).toEqual([
    ["right", 1],
    ["later", 1_001],
    ["ahead", 3 * DAY_MS * 1000 + 1],
  ]);
});

test("spans of deleted conversations stay behind, and the others of their bodies do not", async () => {
  const job = (name: string) => ({ attributes: [attribute("lk.job_id", name)] });
  await writeJournal([
    { receivedMs: FIRST_MS, body: bodyOf(spanOf(1, 1, job("deleted")), spanOf(2, 1, job("kept"))) },
    { receivedMs: FIRST_MS, body: bodyOf(spanOf(3, 1)) },
    { receivedMs: FIRST_MS, body: bodyOf(spanOf(1, 2), spanOf(4, 1)) },
  ]);
  const deleted = createDeletedConversations();
  deleted.add(1, [digestOf("name", "deleted"), digestOf("trace", traceIdOf(3))]);
  await move(START, deleted);
  await target.index(() => undefined);
  const { rows } = await sql<{ id: string }>`SELECT trace_id AS id FROM traces ORDER BY 1`.execute(relational.db);
  expect(rows.map(({ id }) => id)).toEqual([traceIdOf(2), traceIdOf(4)]);
});
