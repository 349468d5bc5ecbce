import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Condition, type Conditions, createConditions } from "../../packages/server/src/base/conditions.ts";
import "../support/property-seed.ts";
import {
  flip,
  index,
  type Stop,
  takeOneMore,
  type TraceFolders,
  writeTraceFolders,
} from "../support/damaged-folders.ts";
import { type Ingest, openIngest, silent } from "../support/ingest.ts";
import { drawsOfCases, IS_LONG } from "../support/long-form.ts";
import { until } from "../support/until.ts";

const casesOf = drawsOfCases();

let folders: TraceFolders;
let whole: Awaited<ReturnType<typeof conversationsIn>>;
const copyOf = (stop: Stop) => folders.copyOf(stop);
beforeAll(async () => {
  folders = await writeTraceFolders();
  whole = await conversationsIn(folders.path("live"), createConditions(silent as never));
});
afterAll(() => folders.remove());

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

describe("a damaged journal", () => {
  const numRuns = IS_LONG ? 8 : 1;
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  /**
   * Expects that each conversation is as before, or says that its spans lost their content. A conversation may be missing only when there
   * is no index and a condition reports the damage.
   */
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

  const stops: [Stop, boolean][] = [
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
    "damage of %s loses only this record of the journal, and the reported condition says so (index intact: %s)",
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
    /**
     * Opens the trace store and the intake in the folder, runs `work`, closes both, and returns the condition that reports damage of the
     * journal.
     */
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

    test("a read that meets a damaged old segment raises a lasting condition", async () => {
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
