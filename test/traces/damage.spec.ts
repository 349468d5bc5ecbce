import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { StoreDamage } from "../../packages/server/src/stores/sqlite/store-damage.ts";
import { blockSumsFile, checkBlocks } from "../../packages/server/src/traces/store/duckdb/block-sums.ts";
import { isDamageAtOpen } from "../../packages/server/src/traces/store/duckdb/damage.ts";
import { checkLog, logSumsFile } from "../../packages/server/src/traces/store/duckdb/log-sums.ts";
import { openSamples } from "../../packages/server/src/traces/store/duckdb/samples.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import "../support/property-seed.ts";
import {
  ALL_TIME,
  answersIn,
  answersOf,
  flip,
  index,
  samples,
  samplesLog,
  sizeOf,
  spansOf,
  type Stop,
  takeOneMore,
  type TraceFolders,
  TRACES,
  writeTraceFolders,
} from "../support/damaged-folders.ts";
import { openIngest, silent } from "../support/ingest.ts";
import { drawsOfCases, IS_LONG } from "../support/long-form.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();
const indexLog = (dataDir: string) => `${index(dataDir)}-wal`;
const checksums = (dataDir: string) => join(dataDir, "traces.checksums");
/** Returns the names of the damaged databases that the service set aside, oldest first. */
const setAside = (dataDir: string, name: "traces" | "samples") =>
  readdirSync(dataDir).filter((file) => new RegExp(`^${name}\\.damaged-.*\\.(db|duckdb)$`).test(file));

let folders: TraceFolders;
let expected: string;
const copyOf = (stop: Stop) => folders.copyOf(stop);
beforeAll(async () => {
  folders = await writeTraceFolders();
  expected = await answersOf(folders.path("live"));
});
afterAll(() => folders.remove());

const lastReadingIn = (answers: string) => (JSON.parse(answers) as [number])[0];

type Damage = [string, Stop, (dataDir: string) => void];
const cut = (path: string) => truncateSync(path, Math.floor(sizeOf(path) * 0.6));

const damagesOfIndex: Damage[] = [
  ["an index of zeros", "stopped", (dir) => writeFileSync(index(dir), Buffer.alloc(200_000))],
  ["an index of text", "stopped", (dir) => writeFileSync(index(dir), "not a database\n".repeat(999))],
  ["an empty index", "stopped", (dir) => writeFileSync(index(dir), "")],
  ["a missing index", "stopped", (dir) => rmSync(index(dir))],
  ["an index that is cut in its first page", "stopped", (dir) => truncateSync(index(dir), 2_000)],
  ["an index that is cut in its tables", "stopped", (dir) => cut(index(dir))],
  ["an index from another run", "killed", (dir) => cpSync(index(folders.path("stopped")), index(dir))],
  ["missing checksums", "stopped", (dir) => rmSync(checksums(dir))],
  ["empty checksums", "stopped", (dir) => writeFileSync(checksums(dir), "")],
  ["checksums that are cut", "killed", (dir) => cut(checksums(dir))],
  ["a missing log of the index", "killed", (dir) => rmSync(indexLog(dir))],
  ["an empty log of the index", "killed", (dir) => writeFileSync(indexLog(dir), "")],
  ["a log of the index of text", "killed", (dir) => writeFileSync(indexLog(dir), "not a log\n".repeat(999))],
  ["a log of the index that is cut", "killed", (dir) => cut(indexLog(dir))],
  ["a log without its index", "killed", (dir) => rmSync(index(dir))],
];

const damagesOfSamples: Damage[] = [
  ["samples of zeros", "stopped", (dir) => writeFileSync(samples(dir), Buffer.alloc(200_000))],
  ["samples of text", "stopped", (dir) => writeFileSync(samples(dir), "not a database\n".repeat(999))],
  ["empty samples", "stopped", (dir) => writeFileSync(samples(dir), "")],
  ["missing samples", "stopped", (dir) => rmSync(samples(dir))],
  ["samples that are cut in their header", "stopped", (dir) => truncateSync(samples(dir), 5_000)],
  ["samples that are cut in their tables", "stopped", (dir) => cut(samples(dir))],
  ["samples from another run", "killed", (dir) => cpSync(samples(folders.path("stopped")), samples(dir))],
  ["a missing log of the samples", "killed", (dir) => rmSync(samplesLog(dir))],
  ["an empty log of the samples", "killed", (dir) => writeFileSync(samplesLog(dir), "")],
  ["a log of the samples of text", "killed", (dir) => writeFileSync(samplesLog(dir), "not a log\n".repeat(999))],
  ["a log of the samples that is cut", "killed", (dir) => cut(samplesLog(dir))],
  ["a log without its samples", "killed", (dir) => rmSync(samples(dir))],
];

const checkAllBlocks = (dataDir: string) => [...checkBlocks(dataDir)];

/** Returns all rows of all tables of the index. */
async function rowsOfIndex(dataDir: string): Promise<string> {
  const file = await openIndexFile(dataDir, (error) => {
    throw error;
  });
  try {
    const tables = file.engine.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    return JSON.stringify(
      tables.map((name) => [name, file.engine.prepare(`SELECT * FROM "${name}"`).safeIntegers().raw().all()]),
      (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
    );
  } finally {
    await file.close();
  }
}

/** Returns what the database of samples answers without the index. */
async function answersOfSamples(dataDir: string): Promise<string> {
  let failure: unknown;
  const opened = await openSamples({
    dataDir,
    memoryLimitMb: 64,
    log: () => undefined,
    onFailed: (error) => void (failure = error),
  });
  try {
    const points = await opened.metrics({ ...ALL_TIME, measures: undefined });
    const calls = await opened.countToolCalls(ALL_TIME);
    if (failure !== undefined) throw failure;
    return JSON.stringify([opened.lastReading(), points, calls]);
  } finally {
    await opened.close(false);
  }
}

describe("a damaged trace store", () => {
  test.each([...casesOf(damagesOfIndex, 1), ...casesOf(damagesOfSamples, 1)])(
    "the store gives the same answers after the start with %s",
    async (_, stop, damage) => {
      const dataDir = copyOf(stop);
      damage(dataDir);
      expect(await answersOf(dataDir)).toBe(expected);
      expect(await answersOf(dataDir)).toBe(expected);
    },
  );

  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const bit = fc.integer({ min: 0, max: 7 });
  const files: [string, Stop, (dataDir: string) => string][] = [
    ["the index", "stopped", index],
    ["the log of the index", "killed", indexLog],
    ["the samples", "stopped", samples],
    ["the log of the samples", "killed", samplesLog],
  ];
  test.each(casesOf(files, 1))(
    "the store gives the same answers after a flipped bit of %s",
    async (_, stop, fileOf) => {
      const flipped = fc.asyncProperty(share, bit, async (at, flippedBit) => {
        const dataDir = copyOf(stop);
        flip(fileOf(dataDir), at, flippedBit);
        expect(await answersOf(dataDir)).toBe(expected);
        rmSync(dataDir, { recursive: true });
      });
      await fc.assert(flipped, { numRuns: IS_LONG ? 8 : 1, endOnFailure: true });
    },
  );

  const filesOfIndex: typeof files = [
    ["the index", "stopped", index],
    ["the index with a log", "killed", index],
    ["the log of the index", "killed", indexLog],
    ["the checksums", "stopped", checksums],
    ["the checksums of an index with a log", "killed", checksums],
  ];
  test.each(filesOfIndex)("each flipped bit of %s is found, or the rows are the same", async (_, stop, fileOf) => {
    const right = await rowsOfIndex(copyOf(stop));
    let damages = 0;
    const flipped = fc.asyncProperty(share, bit, async (at, flippedBit) => {
      const dataDir = copyOf(stop);
      flip(fileOf(dataDir), at, flippedBit);
      try {
        expect(await rowsOfIndex(dataDir)).toBe(right);
      } catch (error) {
        if (!(error instanceof StoreDamage)) throw error;
        damages++;
      }
      rmSync(dataDir, { recursive: true });
    });
    await fc.assert(flipped, { numRuns: IS_LONG ? 150 : 12 });
    // The write-ahead log can contain every page of the index. Damage of the index file then has no effect.
    if (fileOf !== index || stop === "stopped") expect(damages).toBeGreaterThan(0);
  });

  const filesOfSamples = files.slice(2);
  test.each(filesOfSamples)("each flipped bit of %s is found, or the answers are the same", async (_, stop, fileOf) => {
    const right = await answersOfSamples(copyOf(stop));
    expect(right).toContain("tool_latency");
    const flipped = fc.asyncProperty(share, bit, async (at, flippedBit) => {
      const dataDir = copyOf(stop);
      flip(fileOf(dataDir), at, flippedBit);
      try {
        checkAllBlocks(dataDir);
        const answers = await answersOfSamples(dataDir);
        // The damage can make the samples appear older. The service finds this by the number of the conversation that was derived
        // last, which the index has.
        if (lastReadingIn(answers) === lastReadingIn(right)) expect(answers).toBe(right);
      } catch (error) {
        if (!isDamageAtOpen(error)) throw error;
      }
      rmSync(dataDir, { recursive: true });
    });
    await fc.assert(flipped, { numRuns: IS_LONG ? 60 : 6 });
  });

  test.each([
    ["log", "killed", samplesLog, 64, 1, 4_096, checkLog, /^Corrupt WAL file/],
    ["database", "stopped", samples, 12_288, 8, 65_536, checkAllBlocks, /^Corrupt database file/],
  ] as const)(
    "the store finds equal words of its %s that turn into zeros together, which the engine's own sums miss",
    async (_, stop, fileOf, from, step, pause, check, message) => {
      const dataDir = copyOf(stop);
      const bytes = readFileSync(fileOf(dataDir));
      let missed = 0;
      for (let at = from; at + 16 <= bytes.length; at += step) {
        const word = bytes.subarray(at, at + 8);
        if (word.every((byte) => byte === 0) || !word.equals(bytes.subarray(at + 8, at + 16))) continue;
        writeFileSync(fileOf(dataDir), Buffer.from(bytes).fill(0, at, at + 16));
        expect(() => check(dataDir)).toThrow(message);
        missed++;
        at += pause;
      }
      expect(missed).toBeGreaterThan(0);
      expect(await answersOf(dataDir)).toBe(expected);
      expect(setAside(dataDir, "samples")).toHaveLength(1);
    },
  );

  test("sums of blocks that changed since, and damaged sums, do not count", async () => {
    const dataDir = copyOf("stopped");
    const sums = blockSumsFile(dataDir);
    const earlier = readFileSync(sums);
    const ingest = await openIngest({ dataDir });
    await takeOneMore(ingest);
    await ingest.close();
    expect(readFileSync(sums).equals(earlier)).toBe(false);
    for (const bytes of [earlier, earlier.map((byte) => byte ^ 1), earlier.subarray(0, 70)]) {
      writeFileSync(sums, bytes);
      expect(() => checkAllBlocks(dataDir)).not.toThrow();
    }
    await (await openIngest({ dataDir })).close();
    expect(setAside(dataDir, "samples")).toEqual([]);
  });

  test("sums of an earlier log, of a shorter one and of one with an unfinished write do not count", async () => {
    const dataDir = copyOf("killed");
    const whole = readFileSync(samplesLog(dataDir));
    for (const bytes of [whole.subarray(0, whole.length - 5), Buffer.concat([whole, Buffer.from("rest")])]) {
      writeFileSync(samplesLog(dataDir), bytes);
      expect(() => checkLog(dataDir)).not.toThrow();
    }
    const ingest = await openIngest({ dataDir });
    await takeOneMore(ingest);
    const killed = folders.newFolder();
    cpSync(dataDir, killed, { recursive: true });
    await ingest.close();
    expect(() => checkLog(killed)).not.toThrow();
    expect(() => checkLog(dataDir)).not.toThrow();
    cpSync(logSumsFile(folders.path("killed")), logSumsFile(killed));
    expect(() => checkLog(killed)).not.toThrow();
    rmSync(logSumsFile(killed));
    expect(() => checkLog(killed)).not.toThrow();
  });

  test("the store keeps the two newest damaged databases of each kind aside and says so, without degrading the service", async () => {
    const dataDir = copyOf("stopped");
    const conditions = createConditions(silent as never);
    for (let damage = 0; damage < 3; damage++) {
      writeFileSync(index(dataDir), `damage ${damage}`);
      const ingest = await openIngest({ dataDir, conditions });
      await ingest.intake.drain();
      await ingest.close();
    }
    const kept = setAside(dataDir, "traces");
    expect(kept.map((name) => readFileSync(join(dataDir, name), "utf8"))).toEqual(["damage 1", "damage 2"]);
    expect(setAside(dataDir, "samples")).toHaveLength(2);
    expect(conditions.list()).toEqual([
      expect.objectContaining({
        code: "trace_store_was_damaged",
        degrades: false,
        message: expect.stringContaining(kept[1]!),
      }),
    ]);
  });

  test.each([
    ["samples", samples],
    ["traces", index],
  ] as const)(
    "a store whose file of %s is damaged while it runs heals by itself or at the next start: reads and new bodies are refused or right",
    async (name, fileOf) => {
      const dataDir = copyOf("stopped");
      const conditions = createConditions(silent as never);
      let ingest = await openIngest({ dataDir, conditions });
      truncateSync(fileOf(dataDir), 12_288);
      const outcome = await answersIn(ingest).catch((error: unknown) => error);
      if (outcome !== expected) expect(outcome).toMatchObject({ code: "unavailable" });
      await until("the rebuilt store", async () => {
        await ingest.intake.loaded();
        await ingest.intake.drain();
        return (await answersIn(ingest)) === expected;
      });
      expect(conditions.list().filter(({ degrades }) => degrades)).toEqual([]);
      await takeOneMore(ingest);
      expect(await ingest.traces()).toHaveLength(TRACES + 1);
      await ingest.close();
      expect([samplesLog(dataDir), indexLog(dataDir)].filter(existsSync)).toEqual([]);
      ingest = await openIngest({ dataDir, conditions });
      await ingest.intake.drain();
      expect((await ingest.traces()).map(({ spans }) => spans)).toEqual(Array.from({ length: TRACES + 1 }, () => 5));
      await ingest.close();
      expect(setAside(dataDir, name)).toHaveLength(1);
    },
  );
});

test("a store that is built again after damage can be stopped at once, and the next start has every acknowledged body", async () => {
  const dataDir = copyOf("stopped");
  const stopping = await openIngest({ dataDir });
  truncateSync(index(dataDir), 12_288);
  await answersIn(stopping).catch(() => undefined);
  await stopping.take(1, spansOf(TRACES + 1));
  await stopping.close();
  const ingest = await openIngest({ dataDir });
  await ingest.intake.drain();
  expect(await ingest.traces()).toHaveLength(TRACES + 1);
  await ingest.close();
});
