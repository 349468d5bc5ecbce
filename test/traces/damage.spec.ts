import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Condition, type Conditions, createConditions } from "../../packages/server/src/base/conditions.ts";
import { StoreDamage } from "../../packages/server/src/stores/sqlite/store-damage.ts";
import { blockSumsFile, checkBlocks } from "../../packages/server/src/traces/store/duckdb/block-sums.ts";
import { isDamageAtOpen } from "../../packages/server/src/traces/store/duckdb/damage.ts";
import { databaseFile } from "../../packages/server/src/traces/store/duckdb/database-file.ts";
import { checkLog, logSumsFile } from "../../packages/server/src/traces/store/duckdb/log-sums.ts";
import { openSamples } from "../../packages/server/src/traces/store/duckdb/samples.ts";
import { openIndexFile } from "../../packages/server/src/traces/store/folder/index-file.ts";
import "../support/property-seed.ts";
import { type Ingest, openIngest, silent } from "../support/ingest.ts";
import { drawsOfCases, IS_LONG } from "../support/long-form.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();
const TRACES = 20;
let root: string;
const folder = (name: string) => join(root, name);
const index = (dataDir: string) => join(dataDir, "traces.db");
const indexLog = (dataDir: string) => `${index(dataDir)}-wal`;
const checksums = (dataDir: string) => join(dataDir, "traces.checksums");
const samples = databaseFile;
const samplesLog = (dataDir: string) => `${samples(dataDir)}.wal`;
const sizeOf = (path: string) => statSync(path).size;
const endOfSums = (dataDir: string) => {
  const sums = readFileSync(logSumsFile(dataDir));
  return sums.length === 0 ? 0 : sums.readDoubleLE(sums.length - 8);
};
/** Returns the damaged databases, oldest first. */
const setAside = (dataDir: string, name: "traces" | "samples") =>
  readdirSync(dataDir).filter((file) => new RegExp(`^${name}\\.damaged-.*\\.(db|duckdb)$`).test(file));

const spansOf = (trace: number) =>
  Array.from({ length: 5 }, (_, index) => ({
    traceId: trace.toString(16).padStart(32, "0"),
    spanId: (trace * 100 + index + 1).toString(16).padStart(16, "0"),
    name: index % 2 === 0 ? "function_tool" : "user_turn",
    startTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(trace * 1000 + index) * 1_000_000n),
    endTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(trace * 1000 + index + 500) * 1_000_000n),
    attributes: [
      { key: "lk.function_tool.name", value: { stringValue: `look up ${index}` } },
      { key: "lk.user_transcript", value: { stringValue: `what I say ${index}` } },
      { key: "text", value: { stringValue: `the text ${trace} ${index}` } },
    ],
  }));

/** Returns everything that the store says of its conversations, after a start of the ingest in the folder. */
async function answersOf(dataDir: string): Promise<string> {
  const ingest = await openIngest({ dataDir });
  try {
    return await until("answers", async () => {
      await ingest.intake.drain();
      return answersIn(ingest);
    });
  } finally {
    await ingest.close();
  }
}

async function answersIn({ store, traces }: Awaited<ReturnType<typeof openIngest>>): Promise<string> {
  const rows = await traces();
  const whole = await Promise.all(rows.map(({ traceId }) => store.reader.find(1, traceId)));
  const period = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };
  const points = await store.reader.metrics({ ...period, measures: undefined });
  const calls = await store.reader.countToolCalls(period);
  return JSON.stringify([rows, whole, points, calls], (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

let expected: string;
let whole: Awaited<ReturnType<typeof conversationsIn>>;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "svc-damage-"));
  const ingest = await openIngest({ dataDir: folder("live") });
  for (let trace = 1; trace <= TRACES; trace++) {
    await ingest.take(1, spansOf(trace));
    if (trace % 5 === 0) await ingest.intake.drain();
  }
  // The store adds a sum after its write, and it may write at any time.
  await until("a copy of the log and all its sums", () => {
    cpSync(folder("live"), folder("killed"), { recursive: true });
    return endOfSums(folder("killed")) === sizeOf(samplesLog(folder("killed")));
  });
  await ingest.close();
  cpSync(folder("live"), folder("stopped"), { recursive: true });
  expected = await answersOf(folder("live"));
  whole = await conversationsIn(folder("live"), createConditions(silent as never));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const journal = (dataDir: string) => {
  const dir = join(dataDir, "journal");
  return join(dir, readdirSync(dir)[0]!);
};

/** Returns each conversation by its first trace: the whole answer, and whether spans have lost their content. */
async function conversationsIn(dataDir: string, conditions: Conditions) {
  const ingest = await openIngest({ dataDir, conditions });
  try {
    await ingest.intake.drain();
    const rows = await ingest.traces();
    const entries = rows.map(async ({ traceId }) => {
      const found = await ingest.store.reader.find(1, traceId);
      const json = JSON.stringify(found, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      const { summary, spans, lostSpans } = found!;
      return [traceId, { json, summary, spans: spans.length, lostSpans, isLost: lostSpans > 0 }] as const;
    });
    return new Map(await Promise.all(entries));
  } finally {
    await ingest.close();
  }
}

const copyOf = (stop: "killed" | "stopped") => {
  const dataDir = mkdtempSync(join(root, "copy-"));
  cpSync(folder(stop), dataDir, { recursive: true });
  rmSync(join(dataDir, "lock.db"), { force: true });
  return dataDir;
};

function flip(path: string, share: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[Math.floor(share * bytes.length)]! ^= 1 << bit;
  writeFileSync(path, bytes);
}

const lastReadingIn = (answers: string) => (JSON.parse(answers) as [number])[0];

type Damage = [string, "killed" | "stopped", (dataDir: string) => void];
const cut = (path: string) => truncateSync(path, Math.floor(sizeOf(path) * 0.6));

const damagesOfIndex: Damage[] = [
  ["an index of zeros", "stopped", (dir) => writeFileSync(index(dir), Buffer.alloc(200_000))],
  ["an index of text", "stopped", (dir) => writeFileSync(index(dir), "not a database\n".repeat(999))],
  ["an empty index", "stopped", (dir) => writeFileSync(index(dir), "")],
  ["a missing index", "stopped", (dir) => rmSync(index(dir))],
  ["an index that is cut in its first page", "stopped", (dir) => truncateSync(index(dir), 2_000)],
  ["an index that is cut in its tables", "stopped", (dir) => cut(index(dir))],
  ["an index from another run", "killed", (dir) => cpSync(index(folder("stopped")), index(dir))],
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
  ["samples from another run", "killed", (dir) => cpSync(samples(folder("stopped")), samples(dir))],
  ["a missing log of the samples", "killed", (dir) => rmSync(samplesLog(dir))],
  ["an empty log of the samples", "killed", (dir) => writeFileSync(samplesLog(dir), "")],
  ["a log of the samples of text", "killed", (dir) => writeFileSync(samplesLog(dir), "not a log\n".repeat(999))],
  ["a log of the samples that is cut", "killed", (dir) => cut(samplesLog(dir))],
  ["a log without its samples", "killed", (dir) => rmSync(samples(dir))],
];

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

/** Returns the answers of the samples alone. */
async function answersOfSamples(dataDir: string): Promise<string> {
  let failure: unknown;
  const opened = await openSamples({
    dataDir,
    memoryLimitMb: 64,
    log: () => undefined,
    onFailed: (error) => void (failure = error),
  });
  try {
    const period = { project: 1, fromMs: 0, toMs: 4e12, bucketMs: 1e12, agents: undefined, source: undefined };
    const points = await opened.metrics({ ...period, measures: undefined });
    const calls = await opened.countToolCalls(period);
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
  const files: [string, "stopped" | "killed", (dataDir: string) => string][] = [
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
    // A log can have every page of the index.
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
        for (const _ of checkBlocks(dataDir));
        const answers = await answersOfSamples(dataDir);
        // The index knows the number of the last reading, so that it finds an earlier one.
        if (lastReadingIn(answers) === lastReadingIn(right)) expect(answers).toBe(right);
      } catch (error) {
        if (!isDamageAtOpen(error)) throw error;
      }
      rmSync(dataDir, { recursive: true });
    });
    await fc.assert(flipped, { numRuns: IS_LONG ? 60 : 6 });
  });

  test("the store finds equal words of its log that turn into zeros together, which the engine's own sums miss", async () => {
    const expectedLog = readFileSync(samplesLog(folder("killed")));
    const dataDir = copyOf("killed");
    let missed = 0;
    for (let at = 64; at + 16 <= expectedLog.length; at++) {
      const word = expectedLog.subarray(at, at + 8);
      if (word.every((byte) => byte === 0) || !word.equals(expectedLog.subarray(at + 8, at + 16))) continue;
      const bytes = Buffer.from(expectedLog);
      bytes.fill(0, at, at + 16);
      writeFileSync(samplesLog(dataDir), bytes);
      expect(() => checkLog(dataDir)).toThrow(/^Corrupt WAL file/);
      missed++;
      at += 4_096;
    }
    expect(missed).toBeGreaterThan(0);
    expect(await answersOf(dataDir)).toBe(expected);
  });

  test("the store finds equal words of its database that turn into zeros together, which the engine's own sums miss", async () => {
    const bytes = readFileSync(samples(folder("stopped")));
    const dataDir = copyOf("stopped");
    let missed = 0;
    for (let at = 12_288; at + 16 <= bytes.length; at += 8) {
      const word = bytes.subarray(at, at + 8);
      if (word.every((byte) => byte === 0) || !word.equals(bytes.subarray(at + 8, at + 16))) continue;
      writeFileSync(samples(dataDir), Buffer.from(bytes).fill(0, at, at + 16));
      expect(() => [...checkBlocks(dataDir)]).toThrow(/^Corrupt database file/);
      missed++;
      at += 65_536;
    }
    expect(missed).toBeGreaterThan(0);
    expect(await answersOf(dataDir)).toBe(expected);
    expect(setAside(dataDir, "samples")).toHaveLength(1);
  });

  test("sums of blocks that changed since, and damaged sums, do not count", async () => {
    const dataDir = copyOf("stopped");
    const sums = blockSumsFile(dataDir);
    const earlier = readFileSync(sums);
    const ingest = await openIngest({ dataDir });
    await ingest.take(1, spansOf(TRACES + 1));
    await ingest.intake.drain();
    await ingest.close();
    expect(readFileSync(sums).equals(earlier)).toBe(false);
    for (const bytes of [earlier, earlier.map((byte) => byte ^ 1), earlier.subarray(0, 70)]) {
      writeFileSync(sums, bytes);
      expect(() => [...checkBlocks(dataDir)]).not.toThrow();
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
    await ingest.take(1, spansOf(TRACES + 1));
    await ingest.intake.drain();
    const killed = mkdtempSync(join(root, "copy-"));
    cpSync(dataDir, killed, { recursive: true });
    await ingest.close();
    expect(() => checkLog(killed)).not.toThrow();
    expect(() => checkLog(dataDir)).not.toThrow();
    cpSync(logSumsFile(folder("killed")), logSumsFile(killed));
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
      await ingest.take(1, spansOf(TRACES + 1));
      await ingest.intake.drain();
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

describe("a damaged journal", () => {
  const numRuns = IS_LONG ? 8 : 1;
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  /** Expects each conversation as before, or with the statement that it has lost content; a missing one needs a condition. */
  async function expectTold(dataDir: string, hasIndex: boolean): Promise<void> {
    const conditions = createConditions(silent as never);
    const now = await conversationsIn(dataDir, conditions);
    const isTold = conditions.list().some(({ code, degrades }) => code === "journal_damaged" && degrades);
    for (const [traceId, { json, summary }] of whole) {
      const conversation = now.get(traceId);
      if (conversation === undefined) expect([hasIndex, isTold], traceId).toEqual([false, true]);
      else if (!conversation.isLost) expect(conversation.json, traceId).toBe(json);
      else if (hasIndex) expect(conversation.summary, `${traceId} keeps its summary`).toEqual(summary);
      if (conversation?.isLost === true) expect([conversation.lostSpans, conversation.spans]).toEqual([5, 0]);
    }
    const changed = whole.size - [...now.values()].filter(({ isLost }) => !isLost).length;
    expect(changed).toBeLessThanOrEqual(1);
    expect(isTold).toBe(true);
  }

  const stops: ["stopped" | "killed", boolean][] = [
    ["stopped", true],
    ["killed", true],
    ["stopped", false],
  ];
  test.each(casesOf(stops, 1))(
    "a flipped bit of the journal of a service that was %s changes no answer silently (index intact: %s)",
    async (stop, hasIndex) => {
      const flipped = fc.asyncProperty(share, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        const dataDir = copyOf(stop);
        flip(journal(dataDir), at, bit);
        if (!hasIndex) rmSync(index(dataDir));
        await expectTold(dataDir, hasIndex);
        rmSync(dataDir, { recursive: true });
      });
      await fc.assert(flipped, { numRuns, endOnFailure: true });
    },
  );

  const members: [string, number][] = [
    ["the length of a record", 8],
    ["the project of a record", 12],
    ["the number of a record", 23],
    ["the sum of a record", 4],
    ["the mark of a record", 0],
    ["the flags of a record", 32],
    ["the body of a record", 60],
  ];
  const damagedMembers = members.flatMap(([what, offset]) =>
    [true, false].map((hasIndex) => [what, hasIndex, offset] as const),
  );
  test.each(casesOf(damagedMembers, 2))(
    "damage of %s loses this record only, and the condition says so (index intact: %s)",
    async (_, hasIndex, offset) => {
      const dataDir = copyOf("stopped");
      const bytes = readFileSync(journal(dataDir));
      const second = bytes.indexOf("SVJ1", 5);
      bytes[second + offset]! ^= 0x80;
      writeFileSync(journal(dataDir), bytes);
      if (!hasIndex) rmSync(index(dataDir));
      await expectTold(dataDir, hasIndex);
    },
  );

  describe("over restarts", () => {
    /** Starts the ingest in the folder, runs `work`, stops it, and returns its condition of the journal. */
    async function conditionOf(
      dataDir: string,
      work: (ingest: Ingest, conditionNow: () => Condition | undefined) => Promise<unknown> = async () => undefined,
    ) {
      const conditions = createConditions(silent as never);
      const conditionNow = () => conditions.list().find(({ code }) => code === "journal_damaged");
      const ingest = await openIngest({ dataDir, conditions });
      await ingest.intake.drain();
      await work(ingest, conditionNow);
      await ingest.close();
      return conditionNow();
    }
    const takeOneMore = (ingest: Ingest) => ingest.take(1, spansOf(TRACES + 1));

    test("damage that a start found is a condition of later starts, from the same time, until the bytes are right again", async () => {
      const dataDir = copyOf("stopped");
      const bytes = readFileSync(journal(dataDir));
      const damaged = Buffer.from(bytes);
      damaged[damaged.indexOf("SVJ1", 5) + 60]! ^= 1;
      damaged[damaged.lastIndexOf("SVJ1") + 60]! ^= 1;
      writeFileSync(journal(dataDir), damaged);
      rmSync(index(dataDir));
      const first = await conditionOf(dataDir, takeOneMore);
      expect(first).toMatchObject({ count: 2, degrades: true, message: expect.stringContaining("2 positions") });
      for (let restart = 0; restart < (IS_LONG ? 2 : 1); restart++) {
        expect(await conditionOf(dataDir)).toMatchObject({ count: 2, message: first!.message, since: first!.since });
      }
      damaged[damaged.lastIndexOf("SVJ1") + 60]! ^= 1;
      writeFileSync(journal(dataDir), damaged);
      expect(
        await conditionOf(dataDir, (_, now) => until("one position is left", () => now()?.count === 1)),
      ).toMatchObject({ count: 1, message: expect.stringContaining("They held one record") });
      writeFileSync(journal(dataDir), bytes);
      await conditionOf(dataDir, (_, now) => until("the end of the condition", () => now() === undefined));
      expect(await conditionOf(dataDir)).toBeUndefined();
    });

    test("damage of an old segment that a read of a conversation meets is a condition from then on", async () => {
      const dataDir = copyOf("stopped");
      await conditionOf(dataDir, takeOneMore);
      const old = journal(dataDir);
      const bytes = readFileSync(old);
      bytes[bytes.indexOf("SVJ1", 5) + 60]! ^= 1;
      writeFileSync(old, bytes);
      expect(await conditionOf(dataDir)).toBeUndefined();
      const found = await conditionOf(dataDir, async ({ store, traces }, now) => {
        for (const { traceId } of await traces()) await store.reader.find(1, traceId);
        await until("the condition", now);
      });
      expect(found).toMatchObject({ count: 1, degrades: true });
      expect(await conditionOf(dataDir)).toMatchObject({ count: 1, since: found!.since });
      rmSync(old);
      await conditionOf(dataDir, (_, now) => until("the end of the condition", () => now() === undefined));
    });

    test("a write that a kill interrupted is a condition of the next start only, because it was never acknowledged", async () => {
      const dataDir = copyOf("killed");
      const bytes = readFileSync(journal(dataDir));
      appendFileSync(journal(dataDir), bytes.subarray(0, 50));
      const message = expect.stringContaining("a stop interrupted the write");
      expect(await conditionOf(dataDir, takeOneMore)).toMatchObject({ message });
      expect(await conditionOf(dataDir)).toBeUndefined();
    });

    test("a damaged list of the damage makes the start examine the whole journal", async () => {
      const dataDir = copyOf("stopped");
      await conditionOf(dataDir, takeOneMore);
      const bytes = readFileSync(journal(dataDir));
      bytes[bytes.indexOf("SVJ1", 5) + 60]! ^= 1;
      writeFileSync(journal(dataDir), bytes);
      writeFileSync(join(dataDir, "journal-damage.json"), '{"sum":1,"stretches":[]}');
      expect(await conditionOf(dataDir, (_, now) => until("the condition", now))).toMatchObject({ count: 1 });
    });
  });
});
