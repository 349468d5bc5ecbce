import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { headerOf, recordIn } from "../../packages/server/src/traces/journal/record.ts";
import { segmentPath, segmentsIn } from "../../packages/server/src/traces/journal/segments.ts";
import { openIngest, requestOf, silent, spanOf, traceIdOf } from "../support/ingest.ts";
import { drawsOfCases } from "../support/long-form.ts";
import { encodeProtobuf } from "../support/otlp.ts";
import { startServer } from "../support/server.ts";
import { removeTraceTables } from "../support/trace-files.ts";
import { until } from "../support/until.ts";
import { keySettings } from "../support/secret.ts";

const casesOf = drawsOfCases();
const ENCODINGS = Object.entries({ gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync });

test("a body in gzip, deflate or zstd is in the journal with its bytes, from which a start has the same spans", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-encodings-"));
  const first = await startServer({ dataDir });
  const traces = ENCODINGS.flatMap((_, at) => [3 * at + 1, 3 * at + 2, 3 * at + 3]);
  for (const trace of traces) {
    const [encoding, compress] = ENCODINGS[Math.floor((trace - 1) / 3)]!;
    const compressed = compress(encodeProtobuf(requestOf([spanOf(trace, 0), spanOf(trace, 1)])));
    const answer = await fetch(`${first.url}/v1/traces`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${first.projectKey}`,
        "content-type": "application/x-protobuf",
        "content-encoding": encoding.toUpperCase(),
      },
      body: compressed as Uint8Array<ArrayBuffer>,
    });
    expect(answer.status, encoding).toBe(200);
    const journal = join(dataDir, "journal");
    const segments = segmentsIn(journal).map((name) => readFileSync(segmentPath(journal, name)));
    expect(Buffer.concat(segments).includes(compressed), encoding).toBe(true);
  }
  await first.close();
  // Without the tables of the trace store, the next start reads every body in the journal again.
  removeTraceTables(dataDir);
  const keys = keySettings(first);
  const second = await startServer({ dataDir, settings: keys });
  for (const trace of traces)
    expect((await second.client.traces.get({ traceId: traceIdOf(trace), wait: 30 })).spans).toHaveLength(2);
  await second.close();
  rmSync(dataDir, { recursive: true });
});

describe("a record of the journal", () => {
  const record = { lsn: 1, project: 1, receivedMs: 1, encoding: "json" as const, chunks: [Buffer.from("{}")] };

  /** Returns the record with these flags, as another version of the service may have written it. */
  function withFlags(flags: number): Buffer {
    const bytes = Buffer.concat([headerOf({ ...record, compression: "identity" }, 2), Buffer.from("{}")]);
    bytes.writeUInt32LE(flags, 32);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
    return bytes;
  }

  test("a record of the journal keeps the meaning of the flags of earlier versions", () => {
    const read = [0, 1, 2, 3].map((flags) => recordIn(withFlags(flags)));
    expect(read.map((one) => [one?.encoding, one?.compression])).toEqual([
      ["protobuf", "identity"],
      ["protobuf", "gzip"],
      ["json", "identity"],
      ["json", "gzip"],
    ]);
  });

  test.each(casesOf([128, 2 ** 31, 33, 96], 1))(
    "a record of the journal with the flags %i of a newer version is skipped, and a condition says so",
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

  test("a record of the journal that a newer version wrote is a condition over restarts, until the tables are built again or its segment is gone", async () => {
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
    writeFileSync(segment, withFlags(128));
    const first = await conditionOf();
    expect(first).toMatchObject({ count: 1, degrades: true });
    for (let restart = 0; restart < 2; restart++)
      expect(await conditionOf()).toMatchObject({ count: 1, degrades: true, since: first!.since });
    removeTraceTables(dataDir);
    expect(await conditionOf()).toMatchObject({ count: 1 });
    removeTraceTables(dataDir);
    writeFileSync(segment, withFlags(2));
    expect(await conditionOf()).toBeUndefined();
    expect(await conditionOf()).toBeUndefined();

    removeTraceTables(dataDir);
    writeFileSync(segment, withFlags(128));
    expect(await conditionOf()).toMatchObject({ count: 1 });
    rmSync(segment);
    expect(await conditionOf()).toBeUndefined();
    rmSync(dataDir, { recursive: true });
  });

  test("a record of the journal that a newer version wrote stays a condition when the list of such records is damaged", async () => {
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
