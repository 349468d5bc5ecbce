import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../packages/server/src/base/errors.ts";
import { type ContentEncoding, createDecompress } from "../../packages/server/src/http/decompress.ts";
import { requestOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { encodeJson, encodeProtobuf } from "../support/otlp.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";

const MIB = 1024 * 1024;
const COMPRESS: Record<Exclude<ContentEncoding, "identity">, (body: Uint8Array) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
};
const ENCODINGS = Object.entries(COMPRESS) as [keyof typeof COMPRESS, (body: Uint8Array) => Buffer][];
const FIXTURES = join(import.meta.dirname, "../fixtures/compressed-exports");

describe("trace ingest", () => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await shareServer();
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
  ])("the body %s of a real sender is read", async (file, encoding) => {
    const body = readFileSync(join(FIXTURES, file));
    expect((await send(body, encoding)).status).toBe(200);
    const { spans } = await server.client.traces.get({ traceId: "c0ffee00000000000000000000000001", wait: 30 });
    expect(spans).toHaveLength(40);
    expect(spans.at(-1)!.name).toBe("step 39");
  });

  test.each(ENCODINGS)("a body in %s has the spans of the plain one", async (encoding, compress) => {
    const trace = 10 + ENCODINGS.findIndex(([name]) => name === encoding);
    const body = encodeProtobuf(requestOf([spanOf(trace, 0), spanOf(trace, 1)]));
    expect((await send(compress(body), encoding.toUpperCase(), "application/x-protobuf")).status).toBe(200);
    const { spans } = await server.client.traces.get({ traceId: traceIdOf(trace), wait: 30 });
    expect(spans.map(({ name }) => name)).toEqual(["session", "step 1"]);
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
      { numRuns: IS_LONG ? 300 : 100 },
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
      { numRuns: IS_LONG ? 1_000 : 300 },
    );
  });
});
