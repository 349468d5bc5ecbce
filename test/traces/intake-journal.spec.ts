import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AppError } from "../../packages/server/src/base/errors.ts";
import { bodyOf, failingDisk, type Ingest, openIngest, silent, spanOf, traceIdOf } from "../support/ingest.ts";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { spanCounts } from "../support/span-counts.ts";
import { until } from "../support/until.ts";

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "svc-intake-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const segments = (of = dataDir) => readdirSync(join(of, "journal")).filter((name) => name.endsWith(".journal"));
const spans = (trace: number, count: number) => Array.from({ length: count }, (_, i) => spanOf(trace, i));

const unavailable = (error: unknown) => error instanceof AppError && error.code === "unavailable";

describe("the journal of the intake", () => {
  test("the journal of the intake holds the attributes of loaded spans, even after a restart", async () => {
    let ingest = await openIngest({ dataDir });
    const attributes = [{ key: "said", value: { stringValue: "hello" } }];
    for (let trace = 0; trace < 10; trace++) await ingest.take(1, [spanOf(trace, 0, { attributes })]);
    await ingest.close();
    expect(segments()).toHaveLength(1);
    ingest = await openIngest({ dataDir });
    const found = await ingest.store.reader.find(1, traceIdOf(7));
    expect(found!.spans.map((span) => span.attributes)).toEqual([{ said: "hello" }]);
    await ingest.close();
  });

  test("the journal of the intake can be missing: conversations then keep their summaries, and their spans are lost and counted", async () => {
    let ingest = await openIngest({ dataDir });
    await ingest.take(1, spans(1, 3));
    await ingest.intake.drain();
    const [before] = await ingest.traces();
    await ingest.take(1, spans(2, 2));
    await ingest.close();
    rmSync(join(dataDir, "journal"), { recursive: true });
    ingest = await openIngest({ dataDir });
    expect(await ingest.store.reader.find(1, traceIdOf(1))).toMatchObject({ summary: before, spans: [], lostSpans: 3 });
    await ingest.intake.drain();
    const unread = await ingest.store.reader.find(1, traceIdOf(2));
    expect(unread).toMatchObject({ spans: [], lostSpans: 2 });
    expect(unread!.summary).toMatchObject({ isRead: true, spans: 2, rootName: "session" });
    await ingest.close();
  });

  test("a full disk refuses bodies with 503, leaves no file behind, and is a condition until a write succeeds", async () => {
    const conditions = createConditions(silent as never);
    let isFull = true;
    const ingest = await openIngest({ dataDir, conditions, disk: failingDisk(["writev"], () => isFull) });
    for (let trace = 1; trace <= 5; trace++) {
      await expect(ingest.take(1, spans(trace, 2))).rejects.toSatisfy(unavailable);
    }
    await until("the removal of empty segments", () => segments().length === 0);
    const [condition] = conditions.list();
    expect(condition).toMatchObject({ code: "journal_not_writable", degrades: true, count: 5 });
    expect(condition!.remedy).toMatch(/Free space/);
    isFull = false;
    await ingest.take(1, spans(1, 2));
    expect(conditions.list()).toEqual([]);
    expect(await spanCounts(ingest)).toEqual({ [traceIdOf(1)]: 2 });
    await ingest.close();
  });

  test("the intake refuses bodies while the disk fails, but never loses an acknowledged span", async () => {
    let calls = 0;
    const disk = failingDisk(["writev", "datasync"], () => ++calls % 5 === 0);
    const ingest = await openIngest({ dataDir, disk });
    const acknowledged = new Map<string, number>();
    let refusals = 0;
    const take = async (trace: number) => {
      try {
        await ingest.take(1, spans(trace, 1 + (trace % 7)));
        acknowledged.set(traceIdOf(trace), 1 + (trace % 7));
      } catch (error) {
        expect(unavailable(error)).toBe(true);
        refusals++;
      }
    };
    for (let round = 0; round < 12; round++) await Promise.all([0, 1, 2, 3, 4].map((one) => take(round * 5 + one)));
    expect(refusals).toBeGreaterThan(0);
    expect(await spanCounts(ingest)).toEqual(Object.fromEntries(acknowledged));
    await ingest.close();
  });

  test("the journal of the intake is replayed after a crash to the same rows and sums", async () => {
    const ingest = await openIngest({ dataDir });
    for (let trace = 0; trace < 20; trace++) await ingest.take(1, spans(trace, 5));
    await ingest.intake.drain();
    const read = async (from: Ingest) => {
      await from.intake.drain();
      const rows = await from.traces();
      return { rows, traces: await Promise.all(rows.map((row) => from.store.reader.find(1, row.traceId))) };
    };
    const live = await read(ingest);
    cpSync(join(dataDir, "journal"), join(dataDir, "crashed", "journal"), { recursive: true });
    await ingest.close();
    const again = await openIngest({ dataDir: join(dataDir, "crashed") });
    expect(await read(again)).toEqual(live);
    await again.close();
  });

  test("the journal of the intake recognises resent spans after a restart when the clock was in another century", async () => {
    for (const [trace, year] of [1970, 2400].entries()) {
      const clock = vi.spyOn(Date, "now").mockReturnValue(Date.UTC(year, 0, 2));
      const ingest = await openIngest({ dataDir });
      await ingest.take(1, spans(trace, 1));
      await ingest.close();
      clock.mockRestore();
    }
    const again = await openIngest({ dataDir });
    for (const trace of [0, 1]) await again.take(1, spans(trace, 2));
    expect(await spanCounts(again)).toEqual({ [traceIdOf(0)]: 2, [traceIdOf(1)]: 2 });
    await again.close();
  });

  test("the journal of the intake continues its record numbers after a restart", async () => {
    const first = await openIngest({ dataDir });
    for (let trace = 0; trace < 3; trace++) await first.take(1, spans(trace, 2));
    await first.close();
    const second = await openIngest({ dataDir });
    expect(second.store.loader.loadedLsn()).toBe(3);
    await second.take(1, spans(3, 2));
    await second.intake.drain();
    expect(second.store.loader.loadedLsn()).toBe(4);
    await second.close();
  });

  test("the journal of the intake may hold a body that cannot be decoded: the replay skips it", async () => {
    const { openJournal } = await import("../../packages/server/src/traces/journal/journal.ts");
    const journal = openJournal(join(dataDir, "journal"));
    const write = (lsn: number, chunk: Buffer) =>
      new Promise((resolve) =>
        journal.append(
          { lsn, project: 1, receivedMs: Date.now(), encoding: "protobuf", compression: "identity", chunks: [chunk] },
          resolve,
        ),
      );
    await write(1, bodyOf(1, spans(1, 2)).chunks[0]!);
    await write(2, Buffer.from([0xff, 0xff, 0xff]));
    await write(3, bodyOf(1, spans(3, 2)).chunks[0]!);
    await write(4, Buffer.from([0xff]));
    await journal.close();
    const ingest = await openIngest({ dataDir });
    expect(await spanCounts(ingest)).toEqual({ [traceIdOf(1)]: 2, [traceIdOf(3)]: 2 });
    await ingest.close();
  });
});
