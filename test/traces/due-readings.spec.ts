import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { giveBack, isAnyUnread, takeDue } from "../../packages/server/src/traces/store/index/due-conversations.ts";
import { storeReadings } from "../../packages/server/src/traces/store/index/readings.ts";
import { watch } from "../../packages/server/src/traces/store/index/reads.ts";
import { markForRemap } from "../../packages/server/src/traces/store/index/remap.ts";
import type { TraceSums } from "../../packages/server/src/traces/store/index/trace-sums.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import { EMPTY_READING } from "../../packages/server/src/traces/store/reading.ts";
import { traceIdOf } from "../support/ingest.ts";
import { openTraceIndex, readAll, sumsOf, type TraceIndex } from "../support/trace-index.ts";

const QUIET_MS = 10_000;

let index: TraceIndex;
beforeEach(async () => void (index = await openTraceIndex()));
afterEach(() => index.close());

const root = (name: string, endNs: bigint | null) => ({ rootName: name, rootStartNs: 1n, rootEndNs: endNs });

/** Stores conversation `name` with 10 spans and reads it, unless `isRead` is false; then stores 2 more spans of it. */
async function store(
  name: string,
  {
    isRead = true,
    before = {},
    since = {},
  }: { isRead?: boolean; before?: Partial<TraceSums>; since?: Partial<TraceSums> } = {},
): Promise<void> {
  const { db } = index;
  const named = { conversation: name, conversationRank: 1 };
  if (isRead) {
    await addSums(db, [sumsOf(traceOf(name), { ...named, spans: 10, ...before })]);
    const [read] = await readAll(index);
    expect(read!.conversation.key).toBe(name);
  }
  await addSums(db, [sumsOf(traceOf(name), { ...named, spans: 2, ...since })]);
}

const traceOf = (name: string) => name.codePointAt(0)!;

const take = async (all = false) => (await takeDue(index.db, 100, all)).map(({ key }) => key);
const nowMs = () => index.engine.prepare("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)").pluck().get() as number;
const dueMs = () => index.engine.prepare("SELECT due_ms FROM conversations").pluck().get() as number | null;

/** Lets time pass for a conversation. */
const pass = (ms: number, name = "%") =>
  index.engine
    .prepare(
      `UPDATE conversations SET due_ms = due_ms - @ms, leased_until_ms = leased_until_ms - @ms,
         watched_until_ms = watched_until_ms - @ms WHERE key LIKE @name`,
    )
    .run({ ms, name });

describe("a conversation with new spans", () => {
  test.each<[string, Parameters<typeof store>[1]]>([
    ["it was never read", { isRead: false }],
    ["it has twice the spans from which it was derived", { since: { spans: 10 } }],
    ["its root has ended since", { before: root("agent_session", null), since: root("agent_session", 5n) }],
    [
      "the root of the whole has ended after the root of a part",
      { before: root("activity", 5n), since: { ...root("agent_session", 6n), rootStartNs: 0n } },
    ],
  ])("a conversation with new spans is due when %s", async (_, conversation) => {
    await store("one", conversation);
    expect(await take()).toEqual(["one"]);
  });

  test.each<[string, Parameters<typeof store>[1]]>([
    ["grows", {}],
    ["has less than twice the spans from which it was derived", { since: { spans: 9 } }],
    ["goes on after its root has ended", { before: root("agent_session", 5n), since: root("agent_session", 6n) }],
    [
      "gets another trace that ends, as each turn of it",
      { before: root("turn", 5n), since: { traceId: traceIdOf(900), ...root("turn", 7n) } },
    ],
  ])("a conversation with new spans waits until it is quiet for ten seconds while it %s", async (_, conversation) => {
    const before = nowMs();
    await store("one", conversation);
    expect(await take()).toEqual([]);
    expect(dueMs()).toBeGreaterThanOrEqual(before + QUIET_MS);
    expect(dueMs()).toBeLessThanOrEqual(nowMs() + QUIET_MS);
    expect(await isAnyUnread(index.db)).toBe(true);
    pass(QUIET_MS);
    expect(await take()).toEqual(["one"]);
  });

  test("a conversation with new spans is quiet from its last spans on", async () => {
    await store("one");
    pass(QUIET_MS - 2_000);
    await addSums(index.db, [sumsOf(traceOf("one"), { conversation: "one", conversationRank: 1 })]);
    pass(QUIET_MS - 2_000);
    expect(await take()).toEqual([]);
    expect(await take(true)).toEqual(["one"]);
  });

  test("a conversation with new spans is due when the clock was set back", async () => {
    await store("one");
    pass(-3_600_000);
    expect(await take()).toEqual(["one"]);
  });

  test("a conversation with new spans is due from the first spans that made it due, while more of them come", async () => {
    await store("one", { isRead: false });
    pass(3_000);
    const since = dueMs();
    await addSums(index.db, [sumsOf(traceOf("one"), { conversation: "one", conversationRank: 1 })]);
    expect(dueMs()).toBe(since);
  });

  test("a conversation with new spans is due while someone reads it, with each new span", async () => {
    await store("one");
    let woken = 0;
    await watch(index.db, 1, traceIdOf(traceOf("one")), () => void woken++);
    expect(woken).toBe(1);
    expect((await readAll(index)).map(({ conversation }) => conversation.key)).toEqual(["one"]);
    const more = () => addSums(index.db, [sumsOf(traceOf("one"), { conversation: "one", conversationRank: 1 })]);
    await more();
    expect(await take()).toEqual(["one"]);
    pass(60_000);
    await readAll(index);
    await more();
    expect(await take()).toEqual([]);
  });

  test("a conversation is not due when it was derived from all its spans, even while a client watches it", async () => {
    await store("one");
    await readAll(index);
    await watch(index.db, 1, traceIdOf(traceOf("one")), () => undefined);
    expect([dueMs(), await take(true), await isAnyUnread(index.db)]).toEqual([null, [], false]);
  });
});

test("the conversations that wait longest are derived first, and those that wait only because of a new mapping come last", async () => {
  await addSums(
    index.db,
    ["old", "young"].map((name) => sumsOf(traceOf(name), { conversation: name, conversationRank: 1 })),
  );
  await readAll(index);
  expect(await markForRemap(index.db, 1, true)).toBe(2);
  pass(60_000);
  for (const name of ["a", "b", "c"])
    await addSums(index.db, [sumsOf(traceOf(name), { conversation: name, conversationRank: 1 })]);
  pass(1_000, "b");
  pass(2_000, "c");
  expect(await takeDue(index.db, 2, false)).toMatchObject([
    { key: expect.stringMatching(/[bc]/) },
    { key: expect.stringMatching(/[bc]/) },
  ]);
  expect(await take()).toEqual(expect.arrayContaining(["a", "old", "young"]));
});

test("the first of those that wait are taken before the ones that a new mapping reads again", async () => {
  await addSums(index.db, [sumsOf(traceOf("old"), { conversation: "old", conversationRank: 1 })]);
  await readAll(index);
  await markForRemap(index.db, 1, true);
  pass(60_000);
  await addSums(index.db, [sumsOf(traceOf("new"), { conversation: "new", conversationRank: 1 })]);
  const oneByOne = [await takeDue(index.db, 1, false), await takeDue(index.db, 1, false)];
  expect(oneByOne.flat().map(({ key }) => key)).toEqual(["new", "old"]);
});

test("the lag counts from the time at which a conversation was due", async () => {
  await store("new", { isRead: false });
  pass(15_000);
  const [taken] = await takeDue(index.db, 1, false);
  expect(taken!.waitedMs).toBeGreaterThanOrEqual(15_000);
});

describe("a conversation that is being read", () => {
  test("a conversation that is being read is taken by nobody else until its lease ends", async () => {
    await store("one", { isRead: false });
    expect(await take()).toEqual(["one"]);
    expect([await take(), await take(true)]).toEqual([[], []]);
    pass(60_000);
    expect(await take()).toEqual(["one"]);
  });

  test("and was given back waits for some seconds, then anybody may take it", async () => {
    await store("one", { isRead: false });
    const leased = await takeDue(index.db, 100, false);
    await giveBack(index.db, leased);
    expect(await take()).toEqual([]);
    pass(5_000);
    expect(await take()).toEqual(["one"]);
    await giveBack(index.db, leased);
    pass(5_000);
    expect(await take(), "the lease of another one is not given back").toEqual([]);
  });

  test("a conversation that is being read stores nothing after another one has taken it over", async () => {
    await store("one", { isRead: false });
    const [slow] = await takeDue(index.db, 100, false);
    pass(60_000);
    const [quick] = await takeDue(index.db, 100, false);
    const reading = (text: string) => ({
      reading: { ...EMPTY_READING, preview: { text, role: "user" as const } },
      spans: 1,
      errors: 0,
    });
    expect(await storeReadings(index.db, [{ conversation: slow!, ...reading("slow") }])).toEqual([]);
    expect(await isAnyUnread(index.db)).toBe(true);
    const stored = await storeReadings(index.db, [{ conversation: quick!, ...reading("quick") }]);
    expect(stored).toMatchObject([{ former: null, reading: { preview: { text: "quick" } } }]);
    expect(await storeReadings(index.db, [{ conversation: slow!, ...reading("slow") }])).toEqual([]);
    expect(index.engine.prepare("SELECT preview FROM conversations").pluck().all()).toEqual(["quick"]);
  });
});
