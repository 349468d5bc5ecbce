import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../packages/server/src/base/errors.ts";
import { openIntake } from "../../packages/server/src/traces/intake/intake.ts";
import { MalformedBody } from "../../packages/server/src/traces/otlp/malformed-body.ts";
import type { SealedBatch } from "../../packages/server/src/traces/span-batch.ts";
import { openTraceStore } from "../../packages/server/src/traces/store/open.ts";
import {
  bodyOf,
  failingDisk,
  type Ingest,
  openIngest,
  requestOf,
  silent,
  spanOf,
  traceIdOf,
} from "../support/ingest.ts";
import { encodeJson } from "../support/otlp.ts";
import { spanCounts } from "../support/span-counts.ts";
import { until } from "../support/until.ts";

let dataDir: string;
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "svc-intake-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const segments = (of = dataDir) => readdirSync(join(of, "journal")).filter((name) => name.endsWith(".journal"));
const journalBytes = (of = dataDir) =>
  segments(of).reduce((sum, name) => sum + statSync(join(of, "journal", name)).size, 0);
const spans = (trace: number, count: number) => Array.from({ length: count }, (_, i) => spanOf(trace, i));

const unavailable = (error: unknown) => error instanceof AppError && error.code === "unavailable";

describe("a body", () => {
  let ofBodies: string;
  let ingest: Ingest;
  beforeAll(async () => {
    ofBodies = mkdtempSync(join(tmpdir(), "svc-bodies-"));
    ingest = await openIngest({ dataDir: ofBodies });
  });
  afterAll(async () => {
    await ingest.close();
    rmSync(ofBodies, { recursive: true, force: true });
  });

  test("a body can be read soon after its acknowledgement, without another body", async () => {
    for (let trace = 0; trace < 5; trace++) {
      expect(await ingest.take(1, spans(trace, 3))).toEqual({ accepted: 3, rejected: 0, reasons: {} });
      await until("the trace", () => ingest.store.reader.find(1, traceIdOf(trace)));
    }
  });

  test("a body gives the same spans as protobuf or JSON, plain or gzip, in one chunk or several", async () => {
    const json = encodeJson(requestOf(spans(1, 4)));
    const proto = bodyOf(2, spans(1, 4)).chunks[0]!;
    await ingest.intake.take({ project: 11, encoding: "json", compression: "identity", chunks: [json] });
    await ingest.intake.take({
      project: 12,
      encoding: "protobuf",
      compression: "identity",
      chunks: [proto.subarray(0, 9), proto.subarray(9)],
    });
    const zipped = gzipSync(proto);
    const chunks = [zipped.subarray(0, 9), zipped.subarray(9)];
    await ingest.intake.take({ project: 13, encoding: "protobuf", compression: "gzip", chunks });
    await ingest.intake.drain();
    const [first, ...others] = await Promise.all(
      [11, 12, 13].map((project) => ingest.store.reader.find(project, traceIdOf(1))),
    );
    expect(first!.spans).toHaveLength(4);
    for (const other of others) expect(other!.spans).toEqual(first!.spans);
  });

  test("a body leaves nothing behind when it is malformed and refused", async () => {
    const [whole] = bodyOf(1, spans(1, 5)).chunks;
    const broken = ingest.intake.take({ ...bodyOf(21, []), chunks: [whole!.subarray(0, whole!.length - 3)] });
    await expect(broken).rejects.toBeInstanceOf(MalformedBody);
    await ingest.take(21, spans(2, 2));
    expect(await spanCounts(ingest, 21)).toEqual({ [traceIdOf(2)]: 2 });
  });

  test("a body without accepted spans is answered without a journal record", async () => {
    const before = journalBytes(ofBodies);
    expect(await ingest.intake.take({ ...bodyOf(1, []), chunks: [] })).toMatchObject({ accepted: 0, rejected: 0 });
    expect(await ingest.take(1, [spanOf(1, 1, { spanId: "0000000000000000" })])).toMatchObject({
      accepted: 0,
      rejected: 1,
    });
    expect(journalBytes(ofBodies)).toBe(before);
  });
});

test("waiting until bodies are loaded leaves no listener behind", async () => {
  const store = await openTraceStore({ dataDir, log: silent });
  let listeners = 0;
  const onProgress = (listener: () => void) => {
    const off = store.loader.onProgress(listener);
    listeners++;
    return () => {
      listeners--;
      off();
    };
  };
  const intake = await openIntake({ dataDir, loader: { ...store.loader, onProgress }, log: silent });
  const before = listeners;
  for (let trace = 0; trace < 5; trace++) {
    await intake.take(bodyOf(1, spans(trace, 2)));
    const waits = [intake.loaded(), intake.loaded()];
    await Promise.all(waits);
    expect(listeners).toBe(before);
    expect(await store.reader.find(1, traceIdOf(trace))).not.toBeNull();
  }
  await intake.close();
  await store.close();
});

describe("a resent body", () => {
  test("a resent body gets the same answer and is stored once, even during the first attempt and after a replay", async () => {
    let ingest = await openIngest({ dataDir });
    const body = [...spans(1, 3), spanOf(1, 9, { spanId: "0000000000000000" })];
    const outcomes = await Promise.all([ingest.take(1, body), ingest.take(1, body), ingest.take(1, body)]);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    const bytes = journalBytes();
    expect(await ingest.take(1, body)).toEqual(outcomes[0]);
    expect(journalBytes()).toBe(bytes);
    expect(await spanCounts(ingest)).toEqual({ [traceIdOf(1)]: 3 });
    await ingest.close();
    ingest = await openIngest({ dataDir });
    expect(await ingest.take(1, body)).toEqual(outcomes[0]);
    expect(await spanCounts(ingest)).toEqual({ [traceIdOf(1)]: 3 });
    await ingest.close();
  });

  test("a body that is sent again to another project counts as a new body", async () => {
    const ingest = await openIngest({ dataDir });
    await ingest.take(1, spans(1, 3));
    await ingest.take(2, spans(1, 3));
    expect([await spanCounts(ingest, 1), await spanCounts(ingest, 2)]).toEqual([
      { [traceIdOf(1)]: 3 },
      { [traceIdOf(1)]: 3 },
    ]);
    await ingest.close();
  });

  test("a resent body is accepted when the first attempt was refused", async () => {
    let failures = 1;
    const ingest = await openIngest({ dataDir, disk: failingDisk(["datasync"], () => failures-- > 0) });
    const refused = await Promise.allSettled([ingest.take(1, spans(1, 3)), ingest.take(1, spans(1, 3))]);
    expect(refused.map((one) => one.status === "rejected" && unavailable(one.reason))).toEqual([true, true]);
    expect(await ingest.take(1, spans(1, 3))).toMatchObject({ accepted: 3 });
    expect(await spanCounts(ingest)).toEqual({ [traceIdOf(1)]: 3 });
    await ingest.close();
  });
});

/** Crashes the loader thread with an invalid batch, whose error the thread does not catch. */
function crash(ingest: Ingest): void {
  const invalid = { rows: 1, capacity: 1, heapUsed: 0, lastLsn: 1e9, origins: [] };
  const buffers = { fixed: new ArrayBuffer(1), text: new ArrayBuffer(1), heap: new ArrayBuffer(1) };
  ingest.store.loader.load({ ...invalid, ...buffers } satisfies SealedBatch);
}

describe("the intake", () => {
  test("the intake refuses bodies while too many wait, and stores every acknowledged one", async () => {
    const ingest = await openIngest({ dataDir, waitMs: 20, bytesInFlightMax: 1 << 20 });
    const acknowledged: Record<string, number> = {};
    let refusals = 0;
    const many = Array.from({ length: 40 }, async (_, trace) => {
      try {
        await ingest.take(1, spans(trace, 3_000));
        acknowledged[traceIdOf(trace)] = 3_000;
      } catch (error) {
        expect(error).toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
        refusals++;
      }
    });
    await Promise.all(many);
    expect(refusals).toBeGreaterThan(0);
    expect(Object.keys(acknowledged).length).toBeGreaterThan(0);
    expect(await spanCounts(ingest)).toEqual(acknowledged);
    await ingest.close();
  });

  test("a second server on the same data directory is refused with advice", async () => {
    const ingest = await openIngest({ dataDir });
    await expect(openTraceStore({ dataDir, log: silent })).rejects.toThrow(/SVC_DATA_DIR/);
    await ingest.close();
    const next = await openIngest({ dataDir });
    await next.close();
  });

  test("the intake acknowledges bodies while the store opens again after a failure, and each of them can be read then", async () => {
    const ingest = await openIngest({ dataDir });
    const expected: Record<string, number> = {};
    for (let trace = 1; trace <= 20; trace++) {
      if (trace === 5) crash(ingest);
      await ingest.take(1, spans(trace, 3));
      expected[traceIdOf(trace)] = 3;
    }
    await until("the store", async () => (await spanCounts(ingest)) !== undefined);
    expect(await spanCounts(ingest)).toEqual(expected);
    await ingest.close();
  });

  test("the intake refuses bodies and reads after its end, and keeps acknowledged ones for the restart", async () => {
    const ingest = await openIngest({ dataDir });
    await ingest.take(1, spans(1, 3));
    await ingest.close();
    await expect(ingest.take(1, spans(2, 3))).rejects.toSatisfy(unavailable);
    await expect(ingest.store.reader.find(1, traceIdOf(1))).rejects.toSatisfy(unavailable);
    const again = await openIngest({ dataDir });
    expect(await spanCounts(again)).toEqual({ [traceIdOf(1)]: 3 });
    await again.close();
  });
});
