import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openJournal, type PlacedRecord } from "../../packages/server/src/traces/journal/journal.ts";
import { type JournalDisk, realDisk } from "../../packages/server/src/traces/journal/disk.ts";
import { headerOf, type JournalRecord, recordIn } from "../../packages/server/src/traces/journal/record.ts";
import { type LostStretch, recordsIn } from "../../packages/server/src/traces/journal/records.ts";
import { segmentPath, segmentsIn } from "../../packages/server/src/traces/journal/segments.ts";
import type { RecordAddress } from "../../packages/server/src/traces/span-batch.ts";
import { createBodyDecoder, openBodyReader } from "../../packages/server/src/traces/store/body-reader.ts";
import { failingDisk } from "../support/ingest.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "svc-journal-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const record = (lsn: number, body = `body ${lsn}`): JournalRecord => ({
  lsn,
  project: 7,
  receivedMs: 1_795_251_159_000 + lsn,
  encoding: lsn % 2 === 0 ? "json" : "protobuf",
  compression: (["identity", "gzip", "deflate", "zstd"] as const)[lsn % 4]!,
  chunks: [Buffer.from(body)],
});

const append = (journal: ReturnType<typeof openJournal>, one: JournalRecord) =>
  new Promise<unknown>((resolve) => journal.append(one, resolve));

const bytesOf = (one: JournalRecord) => {
  const body = Buffer.concat(one.chunks);
  return Buffer.concat([headerOf(one, body.length), body]);
};

const noTear = (segment: number, { bytes }: LostStretch): void => expect.fail(`${bytes} torn bytes in ${segment}`);
const lsnsOf = (
  journal: ReturnType<typeof openJournal>,
  above = 0,
  torn: (segment: number, stretch: LostStretch) => void = noTear,
) => recordsAbove(journal, above, torn).map(({ record }) => record.lsn);

/** Returns the records above a number that are on disk now. */
function recordsAbove(
  journal: ReturnType<typeof openJournal>,
  above = 0,
  torn: (segment: number, stretch: LostStretch) => void = noTear,
): PlacedRecord[] {
  const records: PlacedRecord[] = [];
  for (const placed of journal.recordsAbove(above, torn)) {
    if (placed === undefined) break;
    records.push(placed);
  }
  return records;
}

describe("the journal", () => {
  test("the journal returns appended records with all their fields, in order", async () => {
    const journal = openJournal(dir);
    const sent = Array.from({ length: 20 }, (_, i) => record(i + 1));
    expect(await Promise.all(sent.map((one) => append(journal, one)))).toEqual(sent.map(() => null));
    await journal.close();
    expect(recordsAbove(openJournal(dir), 5).map((one) => one.record)).toEqual(sent.slice(5));
  });

  test("the journal returns a body that came in several chunks as one chunk", async () => {
    const journal = openJournal(dir);
    await append(journal, { ...record(1), chunks: [Buffer.from("ab"), Buffer.alloc(0), Buffer.from("cd")] });
    await journal.close();
    const [only] = recordsAbove(openJournal(dir));
    expect(only!.record.chunks.map(String)).toEqual(["abcd"]);
  });

  test("the journal starts a new segment when one is full, and returns the address of each record", async () => {
    const journal = openJournal(dir, realDisk, 1_000);
    const addresses: RecordAddress[] = [];
    for (let lsn = 1; lsn <= 10; lsn++) {
      const sent = record(lsn, `${lsn}`.padEnd(400, "x"));
      await new Promise<void>((resolve) => journal.append(sent, (_, address) => (addresses.push(address), resolve())));
    }
    await journal.close();
    expect(segmentsIn(dir)).toEqual([1, 3, 5, 7, 9]);
    const back = addresses.map(({ segment, position }) => readFileSync(segmentPath(dir, segment)).subarray(position));
    expect(back.map((bytes) => recordIn(bytes)!.lsn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const again = openJournal(dir);
    expect(lsnsOf(again, 6)).toEqual([7, 8, 9, 10]);
    expect(recordsAbove(again).map((one) => one.address)).toEqual(addresses);
  });

  test("the journal accepts a record that is larger than a segment", async () => {
    const journal = openJournal(dir, realDisk, 1_000);
    await append(journal, record(1, "x".repeat(5_000)));
    await append(journal, record(2));
    await journal.close();
    expect(lsnsOf(openJournal(dir))).toEqual([1, 2]);
  });

  test("the journal skips and reports a record that the process did not finish writing", async () => {
    const journal = openJournal(dir);
    for (let lsn = 1; lsn <= 3; lsn++) await append(journal, record(lsn));
    await journal.close();
    const path = join(dir, readdirSync(dir)[0]!);
    writeFileSync(path, Buffer.concat([readFileSync(path), bytesOf(record(4)).subarray(0, 44)]));
    const torn: number[] = [];
    expect(lsnsOf(openJournal(dir), 0, (_, { bytes }) => torn.push(bytes))).toEqual([1, 2, 3]);
    expect(torn).toEqual([44]);
  });

  const readSegment = (segment: Buffer, firstLsn = 1) => {
    const lost: number[] = [];
    const records = [...recordsIn(segment, firstLsn, ({ bytes }) => lost.push(bytes))].map(({ record }) => record);
    return { records, lost };
  };

  test("the journal returns every record except the one with a damaged byte, and reports the lost bytes", () => {
    const records = [1, 2, 3, 4].map((lsn) => record(lsn));
    const parts = records.map(bytesOf);
    const segment = Buffer.concat(parts);
    fc.assert(
      fc.property(fc.nat(segment.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(segment);
        damaged[at]! ^= flip;
        const ends = parts.map((_, i) => Buffer.concat(parts.slice(0, i + 1)).length);
        const hit = ends.findIndex((end) => at < end);
        expect(readSegment(damaged)).toEqual({
          records: records.filter((_, i) => i !== hit),
          lost: [parts[hit]!.length],
        });
      }),
    );
  });

  test("the journal counts the lost records between two readable ones, and knows no number at the end of a segment", () => {
    const parts = [1, 2, 3, 4, 5].map((lsn) => bytesOf(record(lsn)));
    const segment = Buffer.concat(parts);
    const startOf = (part: number) => Buffer.concat(parts.slice(0, part)).length;
    segment.fill(0xff, startOf(1) + 2, startOf(2) + 20);
    segment[startOf(4) + 41]! ^= 1;
    const lost: LostStretch[] = [];
    const records = [...recordsIn(segment, 1, (stretch) => lost.push(stretch))].map(({ record: { lsn } }) => lsn);
    expect(records).toEqual([1, 4]);
    expect(lost).toEqual([
      {
        position: startOf(1),
        bytes: startOf(3) - startOf(1),
        firstLsn: 2,
        records: 2,
        isUnfinishedWrite: false,
      },
      {
        position: startOf(4),
        bytes: parts[4]!.length,
        firstLsn: 5,
        records: undefined,
        isUnfinishedWrite: false,
      },
    ]);
  });

  test("the journal never returns a record that the body of another record imitates", () => {
    const imitation = { ...record(3), project: 99 };
    const host = { ...record(2), chunks: [Buffer.concat([Buffer.from("…"), bytesOf(imitation)])] };
    const segment = Buffer.concat([bytesOf(record(1)), bytesOf(host), bytesOf(record(3))]);
    const bodyAt = bytesOf(record(1)).length + 40;
    segment[bodyAt]! ^= 1;
    expect(readSegment(segment).records).toEqual([record(1), record(3)]);
    const forgedLsn = { ...record(2), chunks: [bytesOf({ ...record(4_000), project: 99 })] };
    const other = Buffer.concat([bytesOf(record(1)), bytesOf(forgedLsn), bytesOf(record(3))]);
    other[bytesOf(record(1)).length + 9]! ^= 0x80;
    expect(readSegment(other).records).toEqual([record(1), record(3)]);
  });

  test("the journal returns the complete records before a cut", () => {
    const records = [1, 2, 3].map((lsn) => record(lsn));
    const segment = Buffer.concat(records.map(bytesOf));
    const ends = records.map((_, i) => Buffer.concat(records.slice(0, i + 1).map(bytesOf)).length);
    for (let length = 0; length <= segment.length; length++) {
      const { records: complete } = readSegment(segment.subarray(0, length));
      expect(complete).toHaveLength(ends.filter((end) => end <= length).length);
      const tails: boolean[] = [];
      for (const _ of recordsIn(segment.subarray(0, length), 1, (tail) => tails.push(tail.isUnfinishedWrite)));
      expect(tails).toEqual(ends.includes(length) || length === 0 ? [] : [true]);
    }
  });

  test("treats a body whose stated length exceeds the file as missing", async () => {
    const journal = openJournal(dir);
    await append(journal, record(1));
    await journal.close();
    const path = join(dir, readdirSync(dir)[0]!);
    const bytes = readFileSync(path);
    bytes[11]! ^= 0x80; // the top bit of the length
    writeFileSync(path, bytes);
    const unreadable: RecordAddress[] = [];
    const reader = openBodyReader(dir, (address) => unreadable.push(address), createBodyDecoder());
    expect(reader.read({ segment: 1, position: 0 })).toBeUndefined();
    expect(unreadable).toEqual([{ segment: 1, position: 0 }]);
    reader.close();
  });
});

describe("the journal on a failing disk", () => {
  test.each(["writev", "datasync", "create", "syncDirectory"] as const)(
    "the journal on a failing disk fails only the records of a failed %s, newest first, and accepts the next ones",
    async (call) => {
      let failures = 1;
      const journal = openJournal(
        dir,
        failingDisk([call], () => failures-- > 0),
      );
      const refused: number[] = [];
      const first = [1, 2, 3].map(
        (lsn) =>
          new Promise<void>((resolve) =>
            journal.append(record(lsn), (error) => (error && refused.push(lsn), resolve())),
          ),
      );
      await Promise.all(first);
      expect(refused).toEqual([3, 2, 1]);
      expect(await append(journal, record(4))).toBeNull();
      expect(await append(journal, record(5))).toBeNull();
      // The journal does not write to the failed file again, and removes it because it is empty.
      expect(readdirSync(dir)).toEqual([expect.stringMatching(/4\.journal$/)]);
      await journal.close();
      expect(lsnsOf(openJournal(dir)).filter((lsn) => lsn > 3)).toEqual([4, 5]);
    },
  );

  test("the journal on a failing disk returns the records after an incomplete write", async () => {
    let torn = false;
    const disk: JournalDisk = {
      ...realDisk,
      writev: async (file, buffers, position) => {
        if (position === 0 || torn) return realDisk.writev(file, buffers, position);
        torn = true;
        await realDisk.writev(file, [Buffer.concat(buffers).subarray(0, 30)], position);
        throw new Error("ENOSPC: no space left");
      },
      truncate: async () => {
        throw new Error("EIO");
      },
    };
    const journal = openJournal(dir, disk);
    expect(await append(journal, record(1))).toBeNull();
    expect(await append(journal, record(2))).toBeInstanceOf(Error);
    expect(await append(journal, record(3))).toBeNull();
    await journal.close();
    expect(lsnsOf(openJournal(dir), 0, () => undefined)).toEqual([1, 3]);
  });

  test("the journal on a failing disk continues after a short write", async () => {
    const disk: JournalDisk = {
      ...realDisk,
      writev: (file, buffers, position) => realDisk.writev(file, [Buffer.concat(buffers).subarray(0, 7)], position),
    };
    const journal = openJournal(dir, disk);
    await Promise.all([1, 2, 3].map((lsn) => append(journal, record(lsn))));
    await journal.close();
    expect(lsnsOf(openJournal(dir))).toEqual([1, 2, 3]);
  });

  test("the journal calls back only after the record is synced to disk", async () => {
    const events: string[] = [];
    const disk: JournalDisk = {
      ...realDisk,
      datasync: async (file) => {
        events.push("sync");
        await realDisk.datasync(file);
        events.push("synced");
      },
    };
    const journal = openJournal(dir, disk);
    await new Promise<void>((resolve) => journal.append(record(1), () => (events.push("called back"), resolve())));
    expect(events).toEqual(["sync", "synced", "called back"]);
    await journal.close();
  });
});
