import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../packages/server/src/base/errors.ts";
import { createReusingInflater, inflateAnew } from "../../packages/server/src/http/inflate.ts";

const LIMIT = 1 << 20;

test("this runtime has the zlib internals that inflating into one buffer needs", () => {
  expect(createReusingInflater()).toBeTypeOf("function");
});

describe.each([
  ["inflating into one buffer", createReusingInflater()!],
  ["inflating with the documented call", inflateAnew],
])("%s", (_way, inflate) => {
  const inflateGzip = (chunks: Buffer[], limit: number) => inflate(Buffer.concat(chunks), limit);

  function refusal(bytes: Buffer, limit = LIMIT): AppError {
    try {
      inflateGzip([bytes], limit);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      return error as AppError;
    }
    throw new Error("the body was accepted");
  }

  test("the inflater returns any body, in any number of chunks and gzip members", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 500 }),
        (parts, size) => {
          const members = Buffer.concat(parts.map((part) => gzipSync(part)));
          const chunks = Array.from({ length: Math.ceil(members.length / size) }, (_, i) =>
            members.subarray(i * size, (i + 1) * size),
          );
          expect(inflateGzip(chunks, LIMIT).equals(Buffer.concat(parts))).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("the inflater accepts a body of exactly the limit and answers 413 to one byte more", () => {
    expect(inflateGzip([gzipSync(Buffer.alloc(LIMIT))], LIMIT)).toHaveLength(LIMIT);
    expect(refusal(gzipSync(Buffer.alloc(LIMIT + 1)))).toMatchObject({ code: "payload_too_large", status: 413 });
  });

  test("the inflater refuses a gzip bomb without inflating it", () => {
    const bomb = gzipSync(Buffer.alloc(256 << 20));
    const before = process.memoryUsage().rss;
    expect(refusal(bomb)).toMatchObject({ code: "payload_too_large" });
    expect(process.memoryUsage().rss - before).toBeLessThan(32 << 20);
  });

  test("the inflater ignores a wrong length in the trailer", () => {
    const body = gzipSync(randomBytes(5000));
    const small = gzipSync(Buffer.alloc(0));
    for (const lie of [Buffer.concat([body, small]), Buffer.concat([gzipSync(Buffer.alloc(50_000)), small])]) {
      expect(inflateGzip([lie], LIMIT).length).toBeGreaterThan(4000);
    }
  });

  describe("a broken body", () => {
    const body = gzipSync(randomBytes(5000));
    const wrongSum = Buffer.from(body);
    wrongSum[wrongSum.length - 6]! ^= 1;
    test.each([
      ["an empty body", Buffer.alloc(0)],
      ["a body that is not gzip", Buffer.from("plain text")],
      ["a body cut short", body.subarray(0, -3)],
      ["a second member cut short", Buffer.concat([body, body.subarray(0, 7)])],
      ["bytes after the end", Buffer.concat([body, Buffer.from("trailing")])],
      ["zeros after the end", Buffer.concat([body, Buffer.alloc(8)])],
      ["a wrong checksum", wrongSum],
    ])("%s is answered with 400", (_name, bytes) => {
      expect(refusal(bytes)).toMatchObject({ code: "invalid_request", status: 400 });
    });

    test("a broken body that is the first body of the process is refused", () => {
      const first = inflate === inflateAnew ? inflateAnew : createReusingInflater()!;
      expect(() => first(Buffer.from("plain text"), LIMIT)).toThrow(/not valid gzip/);
    });

    test("a body with any changed byte is either inflated or refused", () => {
      fc.assert(
        fc.property(fc.nat(body.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
          const changed = Buffer.from(body);
          changed[at] = byte;
          try {
            inflateGzip([changed], LIMIT);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        }),
        { numRuns: 300 },
      );
    });
  });
});
