import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../packages/server/src/traces/journal/journal.ts";
import { journalDir } from "../../packages/server/src/traces/journal/segments.ts";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { type Encoding, expensiveExports, exportOf, realExport, vectorExport } from "../support/expensive-exports.ts";
import { openIngest } from "../support/ingest.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();
const decoder = createDecoder();
const ENCODINGS: Encoding[] = ["protobuf", "json"];

function decoded(encoding: Encoding, body: Buffer, bounded: boolean) {
  const record = { project: 1, lsn: 1, receivedMs: 1, encoding, compression: "identity" as const, chunks: [body] };
  return decoder.decodeRecord(record, new SpanBatch(64, 16_384), { index: true, bounded });
}

const tooMany = (what: string) =>
  expect.objectContaining({ code: "payload_too_large", message: expect.stringMatching(what) });

describe.each(ENCODINGS)("a body in %s from a sender", (encoding) => {
  test("a body from a sender is refused when it has one span more than the limit, and accepted without it", () => {
    const spans = LIMITS.traceBodySpans;
    expect(decoded(encoding, exportOf("spans without a name", encoding, spans), true).accepted).toBe(spans);
    const body = exportOf("spans without a name", encoding, spans + 1);
    expect(() => decoded(encoding, body, true)).toThrow(tooMany(/100,000 spans.*smaller batches/s.source));
    expect(decoded(encoding, body, false).accepted).toBe(spans + 1);
  });

  test("a body from a sender may have 20 MiB of spans with a hundred attributes each, and vectors of 3,072 numbers in a batch", () => {
    const real = realExport(encoding);
    expect(real.length).toBeGreaterThan(LIMITS.traceBodyBytes - 20_000);
    expect(decoded(encoding, real, true).accepted).toBeGreaterThan(3_000);
    const numbers = encoding === "json" ? 1_280 : 3_072;
    const vectors = vectorExport(encoding, numbers);
    expect(vectors.length).toBeLessThan(LIMITS.traceBodyBytes);
    expect(decoded(encoding, vectors, true).accepted).toBe(512);
  });
});

test("a body in JSON may have a thousand different names of members, even in parts that are ignored", () => {
  const members = (names: number) =>
    Array.from({ length: names }, (_, at) => `"x\\u0041${at}": {"x": ${at}}`).join(",");
  const body = (names: number) => Buffer.from(`{"resourceSpans":[],"future":{${members(names)}}}`);
  expect(decoded("json", body(997), true).accepted).toBe(0);
  expect(() => decoded("json", body(998), true)).toThrow("more than 1000 different names");
  expect(decoded("json", body(998), false).accepted).toBe(0);
});

describe("a body from a sender with more parts than the limit", () => {
  const kinds = expensiveExports().filter(({ encoding }) => encoding === "protobuf");
  /** The kinds of parts that are not kept: a repeated part replaces the part before it, and unknown fields are skipped. */
  const CHEAP = /^empty (statuses|names)|^unknown fields|^pieces of a key/;

  test.each(
    casesOf(
      kinds.map(({ kind }) => kind),
      3,
    ),
  )("a body from a sender with more parts than the limit is refused, or keeps nothing of a part: %s", (kind) => {
    const body = exportOf(kind, "protobuf", LIMITS.traceBodyParts + 1);
    if (CHEAP.test(kind)) expect(decoded("protobuf", body, true).accepted).toBe(1);
    else expect(() => decoded("protobuf", body, true)).toThrow(tooMany("smaller batches"));
  });

  test.each(["unknown members", "unknown numbers", "nulls of a list"])(
    "a body from a sender with more parts than the limit is refused in JSON, and decoded when an older version accepted it: %s",
    (kind) => {
      const body = exportOf(kind, "json", LIMITS.traceBodyJsonValues + 1);
      expect(() => decoded("json", body, true)).toThrow(tooMany("1,400,000 values"));
      expect(decoded("json", body, false).accepted).toBe(1);
    },
  );
});

test.each(casesOf(ENCODINGS, 1))(
  "a body in %s with more spans than the limit is refused by the intake, and replayed from the journal of an older version",
  async (encoding) => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-bounds-"));
    const chunks = [exportOf("spans without a name", encoding, LIMITS.traceBodySpans + 1)];
    const body = { project: 1, encoding, compression: "identity" as const, chunks };
    const journal = openJournal(journalDir(dataDir));
    await new Promise<void>((resolve, reject) =>
      journal.append({ ...body, lsn: 1, receivedMs: Date.now() }, (error) => (error ? reject(error) : resolve())),
    );
    await journal.close();

    const ingest = await openIngest({ dataDir, embedded: true });
    await expect(ingest.intake.take({ ...body, project: 2 })).rejects.toEqual(tooMany("smaller batches"));
    await ingest.intake.drain();
    const [trace] = await until("the replayed conversation is listed", async () => {
      const traces = await ingest.traces(1);
      return traces.length > 0 && traces;
    });
    expect(await ingest.traces(2)).toEqual([]);
    // All spans of the body have the same trace id and span id.
    expect(trace!.traceId).toBe("ab".repeat(16));
    await ingest.close();
    rmSync(dataDir, { recursive: true, force: true });
  },
);
