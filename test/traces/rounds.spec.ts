import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SqliteFile } from "../../packages/server/src/stores/sqlite/sqlite.ts";
import { decideMetrics } from "../../packages/server/src/traces/metrics/metric-rules.ts";
import { openSamples, type Samples } from "../../packages/server/src/traces/store/duckdb/samples.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import { createFolderReader } from "../../packages/server/src/traces/store/folder/read-round.ts";
import type { UnreadConversation } from "../../packages/server/src/traces/store/folder/reader-messages.ts";
import {
  openReaderThread,
  type ReaderThread,
} from "../../packages/server/src/traces/store/folder/reader-thread-client.ts";
import {
  createWaitingSamples,
  readUnmovedAgain,
  type WaitingSamples,
} from "../../packages/server/src/traces/store/folder/waiting-samples.ts";
import { deleteTraces, forgetReadings } from "../../packages/server/src/traces/store/index/erase.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import { createJournalVersion } from "../../packages/server/src/traces/store/journal-version.ts";
import { openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { sumsOf } from "../support/trace-index.ts";

let [base, dataDir] = ["", ""];
let index: SqliteFile;
let samples: Samples;
let waiting: WaitingSamples;
let thread: ReaderThread;
let logged: object[];

const tool = { name: "function_tool", attributes: [attribute("lk.function_tool.name", "look_up")] };

/** Stores two conversations and reads them. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "svc-rounds-"));
  const ingest = await openIngest({ dataDir: base, embedded: true });
  await ingest.take(1, [spanOf(1, 0), spanOf(1, 1, tool), spanOf(2, 0), spanOf(2, 1)]);
  await ingest.intake.drain();
  await ingest.close();
  thread = openReaderThread({ dataDir: base, journalVersion: createJournalVersion() }, () => undefined);
});
afterAll(async () => {
  await thread.close();
  rmSync(base, { recursive: true });
});

const fail = (error: unknown) => {
  throw error;
};

/** Opens a copy of the index without a service, and an empty database of samples. */
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-rounds-"));
  logged = [];
  for (const name of readdirSync(base))
    if (name.startsWith("traces.")) copyFileSync(join(base, name), join(dataDir, name));
  index = await openIndexFile(dataDir, fail);
  samples = await openSamples({ dataDir, memoryLimitMb: 32, log: () => undefined, onFailed: fail });
  waiting = createWaitingSamples(index.db, samples);
});
afterEach(async () => {
  await samples.close(true);
  await index.close();
  rmSync(dataDir, { recursive: true });
});

const BOTH = [1, 2];
/** Adds one span to each conversation in the index, as a commit does when a span arrives again. */
const addSpans = (traces: readonly number[] = BOTH) =>
  addSums(
    index.db,
    traces.map((trace) => sumsOf(trace, { startedNs: 2n ** 62n })),
  );

type Read = ReaderThread["read"];

/** Derives all conversations with new spans. A test can replace `read`, which asks the thread that derives them. */
const round = (
  read: (conversations: readonly UnreadConversation[]) => ReturnType<Read> = (some) => thread.read(some),
) =>
  createFolderReader(index.db, { read, close: thread.close }, waiting, {
    error: (details) => void logged.push(details),
  })(true);

/** Runs `work` after the thread has derived conversations and before the service stores them. */
const meanwhile = (work: () => Promise<unknown>) => async (some: readonly UnreadConversation[]) => {
  const outcomes = await thread.read(some);
  await work();
  return outcomes;
};

type Row = { key: string; unread: boolean; reading: number | null; spans: number | null; tool_calls: number | null };
const rows = () =>
  index.engine
    .prepare<[], Row>(
      "SELECT key, due_ms IS NOT NULL AS unread, reading, spans, tool_calls FROM conversations ORDER BY key",
    )
    .all();
const count = (table: string) => index.engine.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;

/** Returns the number of tool calls that the database of samples has. */
async function toolCalls(): Promise<number> {
  const { engine } = index;
  const atMs = engine
    .prepare("SELECT max(started_ns) / 1000000 FROM traces WHERE started_ns < 1 << 61")
    .pluck()
    .get() as number;
  const query = { from: new Date(atMs - 3_600_000).toISOString(), to: new Date(atMs + 3_600_000).toISOString() };
  const counts = (await samples.countToolCalls(decideMetrics(1, query, atMs + 3_600_000)))!;
  return counts.find(({ startMs }) => startMs === null)?.calls ?? 0;
}

test("samples that were lost with their process are derived again, and replace older samples of the same conversation", async () => {
  await addSpans();
  await round();
  await waiting.move();
  expect([count("unmoved_readings"), await toolCalls()]).toEqual([0, 1]);

  await addSpans();
  await round();
  waiting = createWaitingSamples(index.db, samples);
  await readUnmovedAgain(index.db, samples);
  expect([rows().map(({ unread }) => unread), await toolCalls()]).toEqual([[1, 1], 0]);

  await round();
  await waiting.move();
  expect([rows().map(({ unread }) => unread), await toolCalls()]).toEqual([[0, 0], 1]);
  await readUnmovedAgain(index.db, samples);
  expect(rows().map(({ unread }) => unread)).toEqual([0, 0]);
});

describe("a round of derivation", () => {
  test("a round of derivation leaves conversations due whose spans were stored meanwhile, and the next round derives them", async () => {
    await addSpans();
    const before = rows();
    expect(before).toMatchObject([{ unread: 1 }, { unread: 1 }]);
    expect(await round(meanwhile(() => addSpans()))).toMatchObject({ any: true });
    const behind = rows();
    expect(behind.map(({ unread }) => unread)).toEqual([1, 1]);
    for (const [at, { reading }] of behind.entries()) expect(reading).toBeGreaterThan(before[at]!.reading!);
    await round();
    expect(rows()).toMatchObject([
      { unread: 0, spans: 2, tool_calls: 1 },
      { unread: 0, spans: 2 },
    ]);
    expect(await round()).toEqual({ any: false, lagMs: 0 });
  });

  test("a round of derivation handles conversations one by one when they are too large together", async () => {
    await addSpans();
    const asked: number[] = [];
    await round(async (some) => {
      asked.push(some.length);
      return some.length > 1 ? null : thread.read(some);
    });
    expect(asked).toEqual([2, 1, 1]);
    expect(rows()).toMatchObject([
      { unread: 0, spans: 2, tool_calls: 1 },
      { unread: 0, spans: 2 },
    ]);
  });

  test("a round of derivation handles a conversation with many spans alone", async () => {
    await addSpans();
    index.engine.exec("UPDATE conversations SET received_spans = 3000");
    const asked: number[] = [];
    await round((some) => {
      asked.push(some.length);
      return thread.read(some);
    });
    expect(asked).toEqual([1, 1]);
    expect(rows().map(({ unread }) => unread)).toEqual([0, 0]);
  });

  test("a round of derivation stores nothing of conversations that another one has taken over meanwhile", async () => {
    await addSpans();
    const before = rows();
    await round(meanwhile(async () => index.engine.exec("UPDATE conversations SET lease = lease + 1")));
    expect(rows()).toEqual(before);
  });

  test("a round of derivation stores nothing of a conversation that was erased meanwhile", async () => {
    await addSpans();
    const noted = count("unmoved_readings");
    const erased = { project: 1, key: traceIdOf(1), traceId: traceIdOf(1) };
    const erase = () =>
      index.db.transaction().execute(async (tx) => {
        await deleteTraces(tx, [erased]);
        await forgetReadings(tx, [erased]);
      });
    await round(meanwhile(erase));
    expect(rows()).toMatchObject([{ key: traceIdOf(2), unread: 0 }]);
    expect(count("unmoved_readings")).toBe(noted + 1);
    expect(count("search")).toBe(1);
  });

  test("a round of derivation stores nothing of a conversation of which a trace was erased meanwhile, and the next round derives the rest", async () => {
    await addSums(
      index.db,
      BOTH.map((trace) => sumsOf(trace, { startedNs: 2n ** 62n, conversation: "both", conversationRank: -1 })),
    );
    await round();
    await addSpans([1]);
    const erase = () =>
      index.db.transaction().execute(async (tx) => {
        await deleteTraces(tx, [{ project: 1, traceId: traceIdOf(1) }]);
        await forgetReadings(tx, [{ project: 1, key: "both" }]);
      });
    await round(meanwhile(erase));
    expect(rows()).toMatchObject([{ key: "both", unread: 1, reading: null }]);
    await round();
    expect(rows()).toMatchObject([{ key: "both", unread: 0, spans: 2, tool_calls: 0 }]);
  });

  test("a round of derivation whose conversation moved to another one meanwhile derives that one, and removes the one without traces", async () => {
    await addSpans([1]);
    const move = () =>
      addSums(index.db, [sumsOf(1, { startedNs: 2n ** 62n, conversation: "named", conversationRank: -1 })]);
    await round(meanwhile(move));
    await round();
    expect(rows()).toMatchObject([
      { key: traceIdOf(2), unread: 0 },
      { key: "named", unread: 0, spans: 2, tool_calls: 1 },
    ]);
    expect(count("search")).toBe(2);
  });
});

test("a conversation of more traces than are read has the counts of all, and no measures", async () => {
  const other = mkdtempSync(join(tmpdir(), "svc-rounds-"));
  const ingest = await openIngest({ dataDir: other, embedded: true });
  const named = { attributes: [attribute("lk.job_id", "many"), ...tool.attributes], name: tool.name };
  await ingest.take(
    1,
    Array.from({ length: 1_050 }, (_, trace) =>
      spanOf(trace, 1, { ...named, status: { code: trace % 2 === 0 ? 2 : 1 } }),
    ),
  );
  await ingest.intake.drain();
  expect(await ingest.traces()).toMatchObject([
    { conversation: "many", isRead: true, traces: 1_050, spans: 1_050, errors: 525, toolCalls: null, turns: null },
  ]);
  const found = await ingest.store.reader.find(1, traceIdOf(0));
  expect(found).toMatchObject({ truncated: true, lostSpans: 0 });
  expect(found!.spans).toHaveLength(1_000);
  await ingest.close();
  rmSync(other, { recursive: true });
});

describe("the thread that derives conversations", () => {
  /** Makes the thread fail with the conversation of trace 1. */
  const breakIndex = () =>
    index.engine.exec(`UPDATE bodies SET trace_id = 'x' WHERE trace_id = '${traceIdOf(1)}';
    UPDATE traces SET trace_id = 'x' WHERE trace_id = '${traceIdOf(1)}'`);

  test("the thread that derives conversations gets them one by one after it failed with several, and the failure is logged", async () => {
    await addSpans();
    breakIndex();
    await round();
    expect(rows()).toMatchObject([
      { unread: 0, spans: 3, tool_calls: null },
      { unread: 0, spans: 2, tool_calls: 0 },
    ]);
    expect(logged).toEqual([expect.objectContaining({ conversation: traceIdOf(1), err: expect.any(SyntaxError) })]);
    await addSpans([2]);
    await round();
    expect(rows()[1]).toMatchObject({ unread: 0, spans: 2 });
  });

  test("the thread that derives conversations leaves them due when it does not start, and a later round derives them", async () => {
    await addSpans();
    const before = rows();
    await expect(round(() => Promise.reject(new Error("the thread does not start")))).rejects.toThrow("does not start");
    expect(rows()).toEqual(before);
    expect(await round()).toEqual({ any: false, lagMs: 0 });
    index.engine.exec("UPDATE conversations SET leased_until_ms = leased_until_ms - 5000");
    expect(await round()).toMatchObject({ any: true });
    expect(rows().map(({ unread }) => unread)).toEqual([0, 0]);
  });
});
