import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Log } from "../../packages/server/src/base/log/log.ts";
import { dayOf } from "../../packages/server/src/traces/store/day.ts";
import { openJournal } from "../../packages/server/src/traces/journal/journal.ts";
import { journalDir, segmentPath, segmentsIn } from "../../packages/server/src/traces/journal/segments.ts";
import { observeClock, retentionsOf, startRetention } from "../../packages/server/src/traces/erasure/retention.ts";
import { createWitnessRow } from "../../packages/server/src/traces/store/clock-witness-row.ts";
import { openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import { openStoreOf } from "../support/engine.ts";
import { bodyOf, openIngest, spanIdOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { type OtlpSpan } from "../support/otlp.ts";

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

describe("retention", () => {
  const DAY_MS = 86_400_000;
  const today = dayOf(Date.now());

  /** Opens an intake on a journal whose bodies were received some days ago. */
  async function receivedOn(dataDir: string, bodies: [daysAgo: number, spans: OtlpSpan[]][]) {
    const journal = openJournal(journalDir(dataDir));
    let lsn = 0;
    for (const [daysAgo, spans] of bodies) {
      const record = { ...bodyOf(1, spans), lsn: ++lsn, receivedMs: (today - daysAgo) * DAY_MS + 1_000 };
      await new Promise((resolve) => journal.append(record, resolve));
    }
    await journal.close();
    return openIngest({ dataDir });
  }

  test("retention drops whole days and the traces that end in them, and sums the remaining spans of other traces", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-retention-"));
    const old = await receivedOn(dataDir, [
      [9, [spanOf(1, 0), spanOf(1, 1)]],
      [8, [spanOf(2, 0, { status: { code: 2 } }), spanOf(2, 1)]],
      [3, [spanOf(2, 2)]],
      [0, [spanOf(3, 0)]],
    ]);
    await old.intake.drain();
    expect((await old.traces()).map((row) => row.spans)).toEqual([1, 3, 2]);
    await old.store.eraser.dropDaysBefore(today - 5);
    await old.store.loader.drain();
    const rows = await old.traces();
    expect(rows.map((row) => row.traceId)).toEqual([traceIdOf(3), traceIdOf(2)]);
    expect(rows[1]).toMatchObject({ spans: 1, errors: 0, rootName: null, service: "voice-agent" });
    const remaining = await old.store.reader.find(1, traceIdOf(2));
    expect(remaining!.spans.map((span) => span.spanId)).toEqual([spanIdOf(2)]);
    await old.take(1, [spanOf(1, 0)]);
    await old.intake.drain();
    expect(await old.store.reader.find(1, traceIdOf(1))).toMatchObject({
      summary: { spans: 1, service: "voice-agent" },
    });
    await old.close();
    rmSync(dataDir, { recursive: true });
  });

  test("retention removes journal segments that hold no remaining span", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-retention-"));
    const attributes = [{ key: "said", value: { stringValue: "hello" } }];
    for (const [lsn, daysAgo] of [
      [1, 9],
      [2, 8],
      [3, 0],
    ] as const) {
      const journal = openJournal(journalDir(dataDir));
      const received = { lsn, receivedMs: (today - daysAgo) * DAY_MS + 1_000 };
      const record = { ...bodyOf(1, [spanOf(lsn, 0, { attributes })]), ...received };
      await new Promise((resolve) => journal.append(record, resolve));
      await journal.close();
    }
    const old = await openIngest({ dataDir });
    await old.intake.drain();
    await old.store.reader.find(1, traceIdOf(1));
    await old.store.eraser.dropDaysBefore(today - 5);
    expect(segmentsIn(journalDir(dataDir))).toEqual([3]);
    const remaining = await old.store.reader.find(1, traceIdOf(3));
    expect(remaining!.spans[0]!.attributes).toEqual({ said: "hello" });
    await old.close();
    rmSync(dataDir, { recursive: true });
  });

  test("retention of one project takes its old records only, and removes a segment in which no other record is left", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-retention-"));
    // The journal begins a segment for each day.
    const segments: [project: number, daysAgo: number][][] = [
      [[1, 9]],
      [[2, 9]],
      [
        [1, 8],
        [2, 8],
        [1, 7],
      ],
      [
        [1, 7],
        [1, 6],
      ],
      [
        [1, 6],
        [1, 0],
      ],
    ];
    let lsn = 0;
    for (const records of segments) {
      const journal = openJournal(journalDir(dataDir));
      for (const [of, daysAgo] of records) {
        lsn++;
        const attributes = [text("said", `words ${lsn} of ${of}`)];
        const received = { lsn, receivedMs: (today - daysAgo) * DAY_MS + 1_000 };
        await new Promise((resolve) =>
          journal.append({ ...bodyOf(of, [spanOf(lsn, 0, { attributes })]), ...received }, resolve),
        );
      }
      await journal.close();
    }
    const old = await openIngest({ dataDir });
    await old.intake.drain();
    await old.store.reader.find(1, traceIdOf(1));
    expect(await old.store.eraser.conversationsBefore(today - 5, 1)).toMatchObject([{ project: 1 }]);
    expect(await old.store.eraser.dropDaysBefore(today - 5, 1)).toBe(4);
    expect(segmentsIn(journalDir(dataDir))).toEqual([2, 3, 9]);
    const bytes = segmentsIn(journalDir(dataDir)).map((name) => readFileSync(segmentPath(journalDir(dataDir), name)));
    expect(
      Buffer.concat(bytes)
        .toString("latin1")
        .match(/words \d of \d/g),
    ).toEqual(["words 2 of 2", "words 4 of 2", "words 9 of 1"]);
    for (const [of, trace] of [
      [2, 2],
      [2, 4],
      [1, 9],
    ] as const)
      expect(await old.store.reader.find(of, traceIdOf(trace))).toMatchObject({ summary: { spans: 1 }, lostSpans: 0 });
    for (const trace of [1, 3, 5, 6, 7, 8]) expect(await old.store.reader.find(1, traceIdOf(trace))).toBeNull();
    expect(await old.store.eraser.dropDaysBefore(today - 5, 1)).toBe(0);
    await old.close();
    const again = await openIngest({ dataDir });
    await again.intake.drain();
    expect(await again.store.reader.find(2, traceIdOf(4))).toMatchObject({ summary: { spans: 1 }, lostSpans: 0 });
    await again.close();
    rmSync(dataDir, { recursive: true });
  });

  test("retention drops the samples of a dropped trace, and reads its conversation again", async () => {
    const said = (trace: number, words: string, ...more: OtlpSpan["attributes"] & object) =>
      spanOf(trace, 1, {
        name: "function_tool",
        attributes: [text("lk.job_id", "J"), text("lk.function_tool.name", words), ...more],
      });
    const dataDir = mkdtempSync(join(tmpdir(), "svc-retention-"));
    const old = await receivedOn(dataDir, [
      [9, [said(1, "one"), spanOf(2, 1, { name: "function_tool" })]],
      [0, [said(3, "three")]],
    ]);
    const samples = async () => {
      const all = { fromMs: 0, toMs: 4e12, bucketMs: 1e12, measures: undefined, agents: undefined, source: undefined };
      const points = (await old.store.reader.metrics({ project: 1, ...all }))!;
      return points
        .filter(({ measure, startMs }) => measure === "tool_latency" && startMs === null)
        .map((point) => point.samples);
    };
    await old.intake.drain();
    expect((await old.traces()).map((row) => [row.traces, row.toolCalls])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(await samples()).toEqual([3]);
    await old.store.eraser.dropDaysBefore(today - 5);
    await old.store.loader.drain();
    expect((await old.traces()).map((row) => [row.traces, row.toolCalls, row.isRead])).toEqual([[1, 1, true]]);
    expect(await samples()).toEqual([1]);
    await old.close();
    rmSync(dataDir, { recursive: true });
  });

  test("retention runs at the start, unless the clock has leapt", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-retention-"));
    const old = await receivedOn(dataDir, [
      [9, [spanOf(1, 0)]],
      [1, [spanOf(2, 0)]],
    ]);
    await old.close();
    const logged: string[] = [];
    const note = (_: unknown, message: string) => void logged.push(message);
    const log = { info: note, warn: note, error: note } as unknown as Log;
    const relational = await openStoreOf(dataDir);
    const witness = createWitnessRow(relational.db, "conversations");
    const openWithRetention = async () => {
      const store = await openTraceStore({ dataDir, log });
      const stopping = new AbortController();
      const eraseBefore = (day: number) => store.eraser.dropDaysBefore(day);
      const listRetentions = async () => retentionsOf(5, []);
      startRetention({
        what: "conversations",
        tellsHolds: true,
        witness,
        listRetentions,
        eraseBefore,
        log,
        signal: stopping.signal,
      });
      return { ...store, close: () => (stopping.abort(), store.close()) };
    };

    const unknownClock = await openWithRetention();
    await expect.poll(() => logged.at(-1), { timeout: 30_000 }).toMatch(/old conversations are kept for now/);
    expect(await unknownClock.reader.find(1, traceIdOf(1))).not.toBeNull();
    await unknownClock.close();

    await witness.write({ seenMs: Date.now() - 2 * DAY_MS, holdMs: 0 });
    const afterLeap = await openWithRetention();
    await expect.poll(async () => (await witness.read())!.holdMs, { timeout: 30_000 }).toBe(DAY_MS);
    expect(await afterLeap.reader.find(1, traceIdOf(1))).not.toBeNull();
    await afterLeap.close();

    await witness.write({ seenMs: Date.now() - 60_000, holdMs: 0 });
    const store = await openWithRetention();
    await expect.poll(() => store.reader.find(1, traceIdOf(1)), { timeout: 30_000 }).toBeNull();
    expect(await store.reader.find(1, traceIdOf(2))).not.toBeNull();
    expect(logged.at(-1)).toBe("erased the conversations before the retention");
    await store.close();
    await relational.close();
    rmSync(dataDir, { recursive: true });
  });
});

test("erasing waits for a day of running time after a leap of the clock, over restarts too", () => {
  const HOUR_MS = 3_600_000;
  const start = { seenMs: 1_000 * HOUR_MS, holdMs: 0 };
  expect(observeClock(start, start.seenMs + HOUR_MS, HOUR_MS).holdMs).toBe(0);
  const leapt = observeClock(start, start.seenMs + 31 * 24 * HOUR_MS, HOUR_MS);
  expect(leapt.holdMs).toBe(24 * HOUR_MS);
  const later = observeClock(leapt, leapt.seenMs + 5 * HOUR_MS, 5 * HOUR_MS);
  expect(later.holdMs).toBe(19 * HOUR_MS);
  const restarted = observeClock(later, later.seenMs + 2 * HOUR_MS, 0);
  expect(restarted.holdMs).toBe(19 * HOUR_MS);
  expect(observeClock(restarted, restarted.seenMs + 19 * HOUR_MS, 19 * HOUR_MS).holdMs).toBe(0);
});

test("a project's retention holds where it is shorter than the service's", () => {
  const ofProject = (number: number, days: number) => ({ project: { id: `prj_${number}`, number }, days });
  const [short, same, long] = [ofProject(1, 7), ofProject(2, 30), ofProject(3, 90)];
  expect(retentionsOf(undefined, [])).toEqual([]);
  expect(retentionsOf(30, [])).toEqual([{ project: null, days: 30 }]);
  expect(retentionsOf(undefined, [short, long])).toEqual([short, long]);
  expect(retentionsOf(30, [short, same, long])).toEqual([{ project: null, days: 30 }, short]);
});
