import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConditions } from "../../packages/server/src/conditions.ts";
import { AppError } from "../../packages/server/src/errors.ts";
import { type ContentEncoding, createDecompress } from "../../packages/server/src/http/decompress.ts";
import { headerOf, recordIn } from "../../packages/server/src/traces/journal/record.ts";
import { segmentPath, segmentsIn } from "../../packages/server/src/traces/journal/segments.ts";
import { openIngest, requestOf, silent, spanOf, traceIdOf } from "../support/ingest.ts";
import { encodeJson, encodeProtobuf } from "../support/otlp.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const COMPRESS: Record<Exclude<ContentEncoding, "identity">, (body: Uint8Array) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
};
const ENCODINGS = Object.entries(COMPRESS) as [keyof typeof COMPRESS, (body: Uint8Array) => Buffer][];
const FIXTURES = join(import.meta.dirname, "../fixtures/compressed-exports");

describe("trace ingest", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const send = (body: Uint8Array, encoding: string, type = "application/json") =>
    fetch(`${server.url}/v1/traces`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.projectKey}`, "content-type": type, "content-encoding": encoding },
      body: body as Uint8Array<ArrayBuffer>,
    });

  test.each([
    ["collector.zstd", "zstd"],
    ["libzstd.zstd", "zstd"],
    ["python.deflate", "deflate"],
  ])("the body %s of a real sender is read, and the journal keeps its bytes", async (file, encoding) => {
    const body = readFileSync(join(FIXTURES, file));
    expect((await send(body, encoding)).status).toBe(200);
    const { spans } = await server.client.traces.get({ traceId: "c0ffee00000000000000000000000001", wait: 30 });
    expect(spans).toHaveLength(40);
    expect(spans.at(-1)!.name).toBe("step 39");
    const journal = join(server.dataDir, "journal");
    const segments = segmentsIn(journal).map((name) => readFileSync(segmentPath(journal, name)));
    expect(Buffer.concat(segments).includes(body)).toBe(true);
  });

  test.each(ENCODINGS)("a body in %s has the same spans after a restart as a plain one", async (encoding, compress) => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-encodings-"));
    const bodies = [1, 2, 3].map((trace) => requestOf([spanOf(trace, 0), spanOf(trace, 1)]));
    const first = await startServer({ dataDir });
    for (const body of bodies) {
      const answer = await fetch(`${first.url}/v1/traces`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${first.projectKey}`,
          "content-type": "application/x-protobuf",
          "content-encoding": encoding.toUpperCase(),
        },
        body: compress(encodeProtobuf(body)) as Uint8Array<ArrayBuffer>,
      });
      expect(answer.status).toBe(200);
    }
    await first.close();
    // Without the tables, the next start reads every body in the journal again.
    for (const file of ["analytics.duckdb", "analytics.duckdb.wal"]) rmSync(join(dataDir, file), { force: true });
    const keys = { SVC_INIT_API_KEY: first.adminKey, SVC_INIT_PROJECT_API_KEY: first.projectKey };
    const second = await startServer({ dataDir, settings: keys });
    for (const trace of [1, 2, 3])
      expect((await second.client.traces.get({ traceId: traceIdOf(trace), wait: 30 })).spans).toHaveLength(2);
    await second.close();
    rmSync(dataDir, { recursive: true });
  });

  test.each(ENCODINGS)("a bomb and a broken body in %s are refused", async (encoding, compress) => {
    const body = compress(Buffer.from(encodeJson(requestOf([spanOf(7, 0)]))));
    expect((await send(compress(Buffer.alloc(64 * MIB)), encoding)).status).toBe(413);
    expect((await send(body.subarray(0, body.length - 5), encoding)).status).toBe(400);
    expect((await send(Buffer.concat([body, Buffer.from("more")]), encoding)).status).toBe(400);
    expect((await send(Buffer.from("{}"), encoding)).status).toBe(400);
  });

  test("millions of tiny zstd frames are refused at once", async () => {
    const frame = zstdCompressSync(Buffer.alloc(0));
    expect((await send(Buffer.concat(Array.from({ length: 100_000 }, () => frame)), "zstd")).status).toBe(400);
  });

  test.each(["br", "lz4", "gzip, gzip", "snappy"])(
    "an answer to the content encoding %j says what to send",
    async (encoding) => {
      const answer = await send(Buffer.from("{}"), encoding);
      expect(answer.status).toBe(415);
      expect(answer.headers.get("accept-encoding")).toBe("identity, gzip, deflate, zstd");
      expect(((await answer.json()) as { message: string }).message).toContain("`zstd`");
    },
  );

  test("JSON operations take no content encoding, and say so", async () => {
    const answer = await fetch(`${server.url}/v1/test-suites`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.projectKey}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: gzipSync('{"name":"Booking"}') as Uint8Array<ArrayBuffer>,
    });
    expect([answer.status, answer.headers.get("accept-encoding")]).toEqual([415, "identity"]);
  });
});

describe("decompression", () => {
  const decompress = createDecompress();

  test("a body of one or more parts has its content back, up to the limit", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 4_000 }),
        fc.constantFrom(...ENCODINGS),
        fc.boolean(),
        (content, [encoding, compress], twice) => {
          const isTwice = twice && encoding !== "deflate";
          const body = isTwice ? Buffer.concat([compress(content), compress(content)]) : compress(content);
          const whole = isTwice ? Buffer.concat([content, content]) : Buffer.from(content);
          expect(Buffer.compare(decompress(body, encoding, whole.length), whole)).toBe(0);
          if (whole.length > 0)
            expect(() => decompress(body, encoding, whole.length - 1)).toThrow(
              expect.objectContaining({ status: 413 }),
            );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a damaged body gives its content or a refusal, and nothing else", () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.boolean() });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 500 }),
        fc.constantFrom(...ENCODINGS),
        change,
        (content, [encoding, compress], { at, byte, cut }) => {
          const body = compress(content);
          const position = at % body.length;
          const damaged = cut ? body.subarray(0, position) : Buffer.from(body).fill(byte, position, position + 1);
          try {
            expect(decompress(damaged, encoding, MIB).length).toBeLessThanOrEqual(MIB);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            expect([400, 413]).toContain((error as AppError).status);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("a record of the journal", () => {
  const record = { lsn: 1, project: 1, receivedMs: 1, encoding: "json" as const, chunks: [Buffer.from("{}")] };

  /** Returns the record with these flags, as another version may have written it. */
  function withFlags(flags: number): Buffer {
    const bytes = Buffer.concat([headerOf({ ...record, compression: "identity" }, 2), Buffer.from("{}")]);
    bytes.writeUInt32LE(flags, 32);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
    return bytes;
  }

  test("keeps the meaning of the flags of earlier versions", () => {
    const read = [0, 1, 2, 3].map((flags) => recordIn(withFlags(flags)));
    expect(read.map((one) => [one?.encoding, one?.compression])).toEqual([
      ["protobuf", "identity"],
      ["protobuf", "gzip"],
      ["json", "identity"],
      ["json", "gzip"],
    ]);
  });

  test.each([128, 2 ** 31, 33, 96])(
    "with the flags %i of a newer version is skipped, and a condition says so",
    async (flags) => {
      expect(recordIn(withFlags(flags))!.compression).toBe("unknown");
      const dataDir = mkdtempSync(join(tmpdir(), "svc-encodings-"));
      mkdirSync(join(dataDir, "journal"));
      writeFileSync(segmentPath(join(dataDir, "journal"), 1), withFlags(flags));
      const server = await startServer({ dataDir });
      const { conditions } = await until("the journal is read", async () => {
        const answer = await server.admin.conditions.list();
        return answer.conditions.length > 0 && answer;
      });
      expect(conditions).toMatchObject([{ degrades: true }]);
      await server.close();
      rmSync(dataDir, { recursive: true });
    },
  );

  test("that a newer version wrote is a condition over restarts, until the tables are built again or its segment is gone", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-encodings-"));
    const segment = segmentPath(join(dataDir, "journal"), 1);
    mkdirSync(join(dataDir, "journal"));
    const conditionOf = async () => {
      const conditions = createConditions(silent);
      const ingest = await openIngest({ dataDir, conditions });
      await ingest.take(1, [spanOf(1, 1)]);
      await ingest.close();
      return conditions.list().find(({ code }) => code === "journal_newer");
    };
    const withoutTables = () => {
      rmSync(join(dataDir, "analytics.duckdb"));
      rmSync(join(dataDir, "analytics.duckdb.wal"), { force: true });
    };
    writeFileSync(segment, withFlags(128));
    const first = await conditionOf();
    expect(first).toMatchObject({ count: 1, degrades: true });
    for (let restart = 0; restart < 2; restart++)
      expect(await conditionOf()).toMatchObject({ count: 1, degrades: true, since: first!.since });
    withoutTables();
    expect(await conditionOf()).toMatchObject({ count: 1 });
    withoutTables();
    writeFileSync(segment, withFlags(2));
    expect(await conditionOf()).toBeUndefined();
    expect(await conditionOf()).toBeUndefined();

    withoutTables();
    writeFileSync(segment, withFlags(128));
    expect(await conditionOf()).toMatchObject({ count: 1 });
    rmSync(segment);
    expect(await conditionOf()).toBeUndefined();
    rmSync(dataDir, { recursive: true });
  });

  test("that a newer version wrote stays a condition when the list of such records is damaged", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-encodings-"));
    mkdirSync(join(dataDir, "journal"));
    writeFileSync(segmentPath(join(dataDir, "journal"), 1), withFlags(128));
    await (await openIngest({ dataDir })).close();
    writeFileSync(join(dataDir, "journal-newer.json"), "{");
    const conditions = createConditions(silent);
    await (await openIngest({ dataDir, conditions })).close();
    expect(conditions.list()).toMatchObject([{ code: "journal_newer", degrades: true }]);
    rmSync(dataDir, { recursive: true });
  });
});
