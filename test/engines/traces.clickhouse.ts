import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceSummaryRow } from "../../packages/server/src/traces/summary-row.ts";
import { DAY_MS, dayOf } from "../../packages/server/src/traces/store/day.ts";
import { databaseOf } from "../support/engine.ts";
import { type Ingest, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute } from "../support/otlp.ts";
import { until } from "../support/until.ts";

// Each spec opens one store twice, as two processes do.

let dataDir: string;
let one: Ingest;
let other: Ingest;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-shared-"));
  await databaseOf(dataDir);
  [one, other] = await Promise.all([openIngest({ dataDir }), openIngest({ dataDir })]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([one.close(), other.close()]);
  rmSync(dataDir, { recursive: true, force: true });
});

const job = (name: string) => [attribute("lk.job_id", name)];
const said = (trace: number, number: number, name: string, words: string) =>
  spanOf(trace, number, {
    name: "user_turn",
    attributes: [...job(name), attribute("lk.user_transcript", words), attribute("lk.transcription_delay", 0.25)],
  });
const newestReading = async () => (await one.store.reader.readSince(1, 2n ** 62n, 0)).last;
const withoutTimes = (rows: readonly TraceSummaryRow[]) => rows.map((row) => ({ ...row, lastReceivedMs: 0 }));

test("spans that two processes take are one conversation, which each of them reads whole", async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).take(1, [said(n, 1, "J", `Words ${n}.`)])),
  );
  await one.intake.drain();
  const [row, ...others] = await one.traces();
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    conversation: "J",
    traces: 20,
    spans: 20,
    turns: 20,
    isRead: true,
    preview: { text: "Words 0." },
  });
  expect(await other.traces()).toEqual([row]);
  expect((await other.store.reader.find(1, traceIdOf(19)))!.spans).toHaveLength(20);
});

test("a span that comes through two processes counts once everywhere", async () => {
  const spans = Array.from({ length: 8 }, (_, n) => said(1, n + 1, "J", `Words ${n}.`));
  await Promise.all([one, other, one, other].map((into, at) => into.take(1, spans.slice(at % 3))));
  await other.take(1, spans);
  expect(withoutTimes(await other.traces())).toMatchObject([{ spans: 8 }]);
  await one.intake.drain();
  expect(withoutTimes(await one.traces())).toMatchObject([{ spans: 8, turns: 8 }]);
  expect((await one.store.reader.find(1, traceIdOf(1)))!.spans).toHaveLength(8);
  const period = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };
  const points = await other.store.reader.metrics({ ...period, measures: ["transcription_delay"] });
  expect(points!.map(({ samples, p50 }) => [samples, p50])).toEqual([
    [8, 250],
    [8, 250],
  ]);
});

test("of several copies of a span only the first is read, whichever process received it", async () => {
  await one.take(1, [said(1, 1, "J", "First.")]);
  await other.take(1, [said(1, 1, "J", "Second."), said(1, 2, "J", "Third.")]);
  await one.intake.drain();
  expect(await other.traces()).toMatchObject([{ spans: 2, turns: 2, preview: { text: "First." } }]);
});

test("a call that still grows is derived each time its number of spans has doubled, and as a whole once it ends", async () => {
  const before = await newestReading();
  const spans = 48;
  for (let n = 1; n <= spans; n++) await (n % 2 === 0 ? one : other).take(1, [said(1, n, "J", `Words ${n}.`)]);
  expect(Number((await newestReading()) - before)).toBeLessThanOrEqual(Math.ceil(Math.log2(spans)) + 1);
  await one.take(1, [spanOf(1, 0, { attributes: job("J"), name: "agent_session" })]);
  await until("the call is derived", async () => (await other.traces())[0]!.isRead);
  expect(await other.traces()).toMatchObject([{ spans: spans + 1, turns: spans, rootEnded: true }]);
});

test("a conversation that a client requests is derived again with its new spans, through any process", async () => {
  for (let n = 1; n <= 4; n++) await one.take(1, [said(1, n, "J", `Words ${n}.`)]);
  await one.intake.drain();
  for (let n = 5; n <= 7; n++) {
    await one.take(1, [said(1, n, "J", `Words ${n}.`)]);
    await until("the new words are read", async () => {
      await other.store.reader.find(1, traceIdOf(1));
      return (await other.traces())[0]!.turns === n;
    });
  }
});

test("a client that follows the numbers of derived conversations misses none", async () => {
  const seen = new Set<string>();
  let after = await newestReading();
  const follow = async () => {
    const { rows, last } = await other.store.reader.readSince(1, after, 1_000);
    for (const { conversation } of rows) seen.add(conversation!);
    after = last;
    return seen.size;
  };
  const sending = Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : other).take(1, [said(n, 1, `J${n}`, "Words.")])),
  );
  await until("every conversation is seen", async () => (await follow()) === 60);
  await sending;
});

test("when a thread ends while it derives conversations, another thread derives them again", async () => {
  let ended = 0;
  const endOnce = (thread: Worker) => {
    // The thread has got its first conversations, and can read them now.
    thread.once("message", () => {
      thread.once("exit", () => ended++);
      if (ended === 0) void thread.terminate();
    });
  };
  process.on("worker", endOnce);
  const conversations = Array.from({ length: 40 }, (_, n) => said(n + 1, 1, `J${n}`, `Words ${n}.`));
  await one.take(1, conversations);
  await one.intake.drain();
  process.off("worker", endOnce);
  expect(ended).toBeGreaterThan(0);
  const previews = (await other.traces()).map(({ preview, turns }) => `${preview?.text} ${turns}`);
  expect(previews.sort()).toEqual(conversations.map((_, n) => `Words ${n}. 1`).sort());
});

test("an erased conversation leaves nothing in either engine, and its neighbours stay", async () => {
  await one.take(1, [said(1, 1, "J", "Secret."), said(2, 1, "K", "Public.")]);
  await one.take(2, [said(1, 1, "J", "Another project's.")]);
  await one.intake.drain();
  const selection = (await other.store.eraser.namesOf(1, traceIdOf(1)))!;
  expect(selection).toEqual({ traceIds: [traceIdOf(1)], names: ["J"] });
  expect(await other.store.eraser.erase(1, selection)).toEqual([traceIdOf(1)]);
  expect(await one.store.reader.find(1, traceIdOf(1))).toBeNull();
  expect(await one.traces(1)).toMatchObject([{ conversation: "K", turns: 1 }]);
  expect(await one.traces(2)).toMatchObject([{ conversation: "J", turns: 1 }]);
  const period = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };
  const points = await one.store.reader.metrics({ ...period, measures: ["transcription_delay"] });
  expect(points!.map(({ samples }) => samples)).toEqual([1, 1]);
});

test("a dropped day takes its spans, and a conversation that went on keeps the later ones", async () => {
  const today = dayOf(Date.now());
  const clock = vi.spyOn(Date, "now").mockReturnValue((today - 3) * DAY_MS + 1_000);
  await one.take(1, [said(1, 1, "old", "Old words."), said(2, 1, "long", "First words.")]);
  clock.mockRestore();
  await other.take(1, [said(2, 2, "long", "Later words."), said(3, 1, "new", "New words.")]);
  await one.intake.drain();
  expect(await one.store.eraser.conversationsBefore(today)).toEqual([
    { project: 1, names: expect.arrayContaining([traceIdOf(1), "old", traceIdOf(2), "long"]) },
  ]);
  expect(await one.store.eraser.dropDaysBefore(today)).toBe(1);
  await one.intake.drain();
  expect(
    (await other.traces()).map(({ conversation, spans, preview }) => [conversation, spans, preview?.text]),
  ).toEqual([
    ["new", 1, "New words."],
    ["long", 1, "Later words."],
  ]);
  expect(await other.store.reader.find(1, traceIdOf(1))).toBeNull();
  expect(await one.store.eraser.dropDaysBefore(today)).toBe(0);
});
