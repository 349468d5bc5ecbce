import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient } from "@clickhouse/client";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { DAY_MS, dayOf } from "../../packages/server/src/traces/store/day.ts";
import type { ExportSelection } from "../../packages/server/src/traces/store/trace-store.ts";
import { clickHouseOf, databaseOf } from "../support/engine.ts";
import { bodyOf, type Ingest, openIngest, spanIdOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpRequest, type OtlpSpan } from "../support/otlp.ts";

// These specs send the same bodies to the embedded trace store and to the one in ClickHouse.

const CAPTURES = join(import.meta.dirname, "../fixtures/otlp-captures");
const DAY = dayOf(Date.UTC(2026, 10, 20));
const PROJECT = 1;

let folder: string;
let shared: Ingest;
let embedded: Ingest;
let duckdb: DuckDBInstance;

beforeAll(async () => {
  duckdb = await DuckDBInstance.create(":memory:");
});
afterAll(() => duckdb.closeSync());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-exports-"));
  await databaseOf(folder);
  shared = await openIngest({ dataDir: folder });
  embedded = await openIngest({ embedded: true });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([shared.close(), embedded.close()]);
  rmSync(folder, { recursive: true, force: true });
});

type Body = Parameters<Ingest["intake"]["take"]>[0];

/** Sends a body to both stores, with the same time of receipt. */
async function take(body: Body, receivedMs: number): Promise<void> {
  const clock = vi.spyOn(Date, "now").mockReturnValue(receivedMs);
  await Promise.all([shared, embedded].map(({ intake }) => intake.take({ ...body, chunks: [...body.chunks] })));
  clock.mockRestore();
}

const takeSpans = (spans: OtlpSpan[], receivedMs: number) => take(bodyOf(PROJECT, spans), receivedMs);

/** Returns the recorded bodies of the newest senders; all bodies of a set are joined into one. */
function captures(): Body[] {
  const files = globSync("{gen-ai,js-1.9,openinference,pipecat,py-1.8}*/*.{decoded,otlp}.json", {
    cwd: CAPTURES,
  }).toSorted();
  return [...Map.groupBy(files, dirname).values()].map((names) => {
    const requests = names.map((name) => JSON.parse(readFileSync(join(CAPTURES, name), "utf8")) as OtlpRequest);
    const body = JSON.stringify({ resourceSpans: requests.flatMap(({ resourceSpans }) => resourceSpans) });
    return { project: PROJECT, encoding: "json", compression: "identity", chunks: [Buffer.from(body)] };
  });
}

/** Returns the column types of a table's Parquet file, and its rows sorted by all their values. */
async function exported({ store }: Ingest, selection: ExportSelection) {
  const file = join(folder, `${selection.table}.parquet`);
  await store.exporter.write(selection, file);
  const connection = await duckdb.connect();
  try {
    const types = await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${file}'`);
    const rows = await connection.runAndReadAll(`SELECT * FROM '${file}' ORDER BY ALL`);
    return { types: types.getRowObjectsJson(), rows: rows.getRowObjectsJson() };
  } finally {
    connection.closeSync();
    rmSync(file);
  }
}

test("both stores export the same rows with the same types", async () => {
  for (const [at, body] of captures().entries()) await take(body, DAY * DAY_MS + at * 1_000);
  const odd = [
    spanOf(1, 0, { name: "", endTimeUnixNano: "0", status: { code: 2 } }),
    spanOf(1, 1, { name: `"quoted" 'text'\n\\ é 日本 \u0001`, attributes: [attribute("session.id", "it's")] }),
    spanOf(2, 2, { name: undefined! }),
    spanOf(2, 3, { startTimeUnixNano: "1", attributes: [attribute("gen_ai.agent.name", "Ada")] }),
  ];
  await takeSpans(odd, DAY * DAY_MS + 3_600_000);
  // Some spans arrive a second time on the next day, together with one new span.
  await takeSpans([...odd.slice(0, 2), spanOf(1, 2)], (DAY + 1) * DAY_MS + 1_000);
  for (let first = 0; first < 2_400; first += 800) {
    const calls = Array.from({ length: 800 }, (_, n) => spanOf(10_000 + first + n, 0));
    await takeSpans(calls, (DAY + 1) * DAY_MS + 2_000 + first);
  }
  await Promise.all([shared, embedded].map(({ intake }) => intake.drain()));

  for (const { store } of [shared, embedded]) expect(await store.exporter.days(PROJECT)).toEqual([DAY, DAY + 1]);
  for (const day of [DAY, DAY + 1, DAY + 2]) {
    const selection = { table: "spans", project: PROJECT, day } as const;
    const spans = await exported(embedded, selection);
    expect(spans.rows.length > 0).toBe(day <= DAY + 1);
    expect(await exported(shared, selection)).toEqual(spans);
  }
  const conversations = await exported(embedded, { table: "conversations", project: PROJECT });
  expect(conversations.rows.length).toBeGreaterThan(2_400);
  expect(await exported(shared, { table: "conversations", project: PROJECT })).toEqual(conversations);
  for (const table of ["measures", "tool_calls"] as const) {
    const items = await exported(embedded, { table, project: PROJECT });
    expect(items.rows.length).toBeGreaterThan(10);
    expect(await exported(shared, { table, project: PROJECT })).toEqual(items);
  }
});

test("an export has no row of another project, of a deleted conversation, or of a span outside the index", async () => {
  const today = dayOf(Date.now());
  await shared.take(PROJECT, [spanOf(1, 0), spanOf(2, 0)]);
  await shared.take(PROJECT + 1, [spanOf(3, 0)]);
  await shared.intake.drain();
  await shared.store.eraser.erase(PROJECT, { traceIds: [traceIdOf(2)], names: [] });
  const address = new URL((await clickHouseOf(folder))!);
  const client = createClient({ url: address.origin });
  const unindexed = { project: PROJECT, trace_id: BigInt(`0x${traceIdOf(4)}`).toString(), span_id: 1 };
  await client.insert({
    table: `${address.pathname.slice(1)}.spans`,
    values: [{ ...unindexed, received_us: String(today * DAY_MS * 1000) }],
    format: "JSONEachRow",
  });
  await client.close();
  const { rows: spans } = await exported(shared, { table: "spans", project: PROJECT, day: today });
  expect(spans.map(({ trace_id, span_id }) => [trace_id, span_id])).toEqual([[traceIdOf(1), spanIdOf(0)]]);
  const { rows: conversations } = await exported(shared, { table: "conversations", project: PROJECT });
  expect(conversations.map(({ trace_id }) => trace_id)).toEqual([traceIdOf(1)]);
});

test("a file that cannot be written leaves no rows behind, and the next one is written", async () => {
  await shared.take(PROJECT, [spanOf(1, 0)]);
  await shared.intake.drain();
  const taken = join(folder, "taken");
  mkdirSync(taken);
  const conversations = { table: "conversations", project: PROJECT } as const;
  await expect(shared.store.exporter.write(conversations, taken)).rejects.toThrow(/taken/);
  expect(existsSync(`${taken}.rows`)).toBe(false);
  expect((await exported(shared, conversations)).rows).toHaveLength(1);
  expect(globSync("*.rows", { cwd: folder })).toEqual([]);
});

test("a store that closes ends its exports and removes their rows", async () => {
  await shared.take(PROJECT, [spanOf(1, 0)]);
  await shared.intake.drain();
  const writes = ["one", "two"].map((name) =>
    shared.store.exporter.write({ table: "measures", project: PROJECT }, join(folder, name)),
  );
  const ends = Promise.allSettled(writes);
  await shared.close();
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(globSync("*.rows", { cwd: folder })).toEqual([]);
  shared = await openIngest({ dataDir: folder });
});
