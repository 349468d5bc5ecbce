import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { searchText } from "../../packages/server/src/stores/search-text.ts";
import type { QualityTopic } from "../../packages/server/src/traces/conversation/quality.ts";
import type { TraceFilters } from "../../packages/server/src/traces/rules.ts";
import { createCountSpans } from "../../packages/server/src/traces/store/folder/bodies.ts";
import { listConversations } from "../../packages/server/src/traces/store/index/list.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import { noFilters, openIngest, spanOf, traceIdOf } from "../support/ingest.ts";
import { IS_LONG } from "../support/long-form.ts";
import { attribute } from "../support/otlp.ts";
import { filesWith } from "../support/stored-bytes.ts";
import { type Found, openTraceIndex, readAll, sumsOf, type TraceIndex } from "../support/trace-index.ts";

let index: TraceIndex;
let project = 0;
beforeAll(async () => void (index = await openTraceIndex()));
afterAll(() => index.close());

/** From which spans a conversation is derived: from none, from all but its last, or from all. */
type State = "new" | "changed" | "read";
type Conversation = {
  state: State;
  agent: string | null;
  conversation: string;
  rootName: string;
  /** Whether any of the spans failed. */
  hasErrors: boolean;
  found: Found;
};

/** Stores the conversations in a new project; each begins later than the one before. */
async function store(conversations: readonly Conversation[]): Promise<void> {
  project++;
  const sums = conversations.map(({ agent, conversation, rootName, hasErrors }, trace) =>
    sumsOf(trace, {
      project,
      conversation,
      conversationRank: 1,
      agent,
      agentStartNs: agent === null ? null : 1n,
      rootName,
      rootStartNs: 1n,
      errors: hasErrors ? 1 : 0,
    }),
  );
  const of = (state: State) => sums.filter((_, at) => conversations[at]!.state === state);
  const known = [...of("read"), ...of("changed")];
  if (known.length > 0) await addSums(index.db, known);
  await readAll(index, ({ key }) => conversations.find(({ conversation }) => conversation === key)!.found);
  const later = [...of("new"), ...of("changed").map((one) => ({ ...one, errors: 0 }))];
  if (later.length > 0) await addSums(index.db, later);
  // The next project reads its own conversations only.
  index.engine.exec("UPDATE conversations SET due_ms = NULL");
}

/** Returns the positions of the matching conversations in the list that was stored, newest first. */
async function found(filters: Partial<TraceFilters>, limit = 100): Promise<number[]> {
  const places: number[] = [];
  const sort = { by: "startedAt", descending: true } as const;
  for (let after: { value: string; traceId: string } | undefined; ;) {
    const request = { project, limit, sort, after, filters: { ...noFilters, ...filters } };
    const page = await listConversations(createCountSpans(index.db), index.db, request);
    places.push(...page.rows.map(({ startedNs }) => Number(startedNs)));
    if (page.next === null) return places;
    after = page.next;
  }
}

/** Returns the positions of the matching conversations, newest first, by comparing each conversation with the filters. */
const expectedOf = (conversations: readonly Conversation[], filters: Partial<TraceFilters>): number[] =>
  [...conversations.keys()].filter((at) => matches(conversations[at]!, filters)).reverse();

function matches({ state, found: all, hasErrors, ...names }: Conversation, filters: Partial<TraceFilters>): boolean {
  const reading: Found = state === "new" ? {} : all;
  const isRead = state === "read";
  const { agent, conversation, rootName } = names;
  const slowest = reading.latency?.max ?? reading.textResponse?.max;
  const isWanted = {
    search: (search: string) =>
      [reading.transcript, reading.names, searchText(agent, conversation, rootName)].some((text) =>
        text?.includes(searchText(search)),
      ),
    status: (status: string) => (status === "error") === (isRead ? (reading.errors ?? 0) > 0 : hasErrors),
    source: (source: string) => (source === "simulation") === conversation.startsWith("sim_"),
    slowerThanMs: (ms: number) => isRead && slowest !== undefined && slowest !== null && slowest > ms,
    interrupted: (value: boolean) => typeof reading.interruptions === "number" && reading.interruptions > 0 === value,
    tool: (tool: string) => (reading.toolUses ?? []).some((use) => use.tool === tool),
    quality: (topic: QualityTopic) => reading.qualityTopics?.includes(topic) ?? false,
    agentNames: (agents: readonly string[]) => agent !== null && agents.includes(agent),
  };
  return Object.entries(filters).every(
    ([name, value]) =>
      value === undefined || (isWanted[name as keyof typeof isWanted] as (value: unknown) => boolean)(value),
  );
}

/** Characters whose lower case or normal form has another length, and characters with a meaning in a query. */
const letter = fc.constantFrom(
  ..."aAbBkKiIsS zZ09-\n\"'*()^:%_\\",
  "\u{130}",
  "\u{131}",
  "\u{212a}",
  "\u{1e9e}",
  "\u{df}",
  "\u{3a3}",
  "\u{3c2}",
  "\u{fb01}",
  "\u{301}",
  "\u{e4}",
  "\u{ff21}",
  "\u{1d400}",
  "\u{1f469}",
  "\u{200d}",
  "\r\n",
  "\u{2028}",
  // The words of the index contain these characters.
  "\u{e000}",
  "\u{e001}",
  "\u{f8ff}",
);
const text = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join("").toWellFormed());
const state = fc.constantFrom<State>("new", "changed", "read", "read");
const named = { agent: fc.option(text), conversation: text, rootName: text };

/** Gives each conversation a different name. */
const apart = (list: readonly Conversation[]): Conversation[] =>
  list.map((one, at) => ({ ...one, conversation: `${one.conversation}${at}` }));

const written = fc
  .array(fc.record({ state, ...named, transcript: fc.option(text), names: fc.option(text) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) =>
    apart(
      list.map(({ transcript, names, ...one }) => ({
        ...one,
        hasErrors: false,
        found: { transcript: transcript && searchText(transcript), names: names && searchText(names) },
      })),
    ),
  );

describe("a search by the index", () => {
  test("a search by the index finds the conversations whose texts contain the searched one, as a comparison of all texts does", async () => {
    await fc.assert(
      fc.asyncProperty(
        written,
        fc.array(text, { maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 1, max: 100 }),
        async (list, others, cut, limit) => {
          await store(list);
          const all = list.flatMap(({ agent, conversation, rootName, found: { transcript, names } }) =>
            [agent, conversation, rootName, transcript, names, `${conversation}\n${rootName}`].filter(
              (one): one is string => typeof one === "string",
            ),
          );
          const parts = all.flatMap((whole) => {
            const from = cut % whole.length;
            return [whole, whole.slice(from), whole.slice(from, from + 3)].map((part) => part.toWellFormed());
          });
          for (const search of new Set([...others, ...parts, ...parts.map((part) => part.toUpperCase())])) {
            if (search === "") continue;
            const expected = expectedOf(list, { search });
            expect(await found({ search }, limit), JSON.stringify(search)).toEqual(expected);
          }
        },
      ),
      { numRuns: IS_LONG ? 60 : 8 },
    );
  }, 120_000);

  test("a search by the index for a text with the character 0 finds the same", async () => {
    const name = { state: "read", agent: null, rootName: "root", hasErrors: false, found: {} } as const;
    const list = ["a\0bc", "a\0b", "abc"].map((conversation): Conversation => ({ ...name, conversation }));
    await store(list);
    for (const search of ["a\0b", "\0bc", "abc"]) expect(await found({ search })).toEqual(expectedOf(list, { search }));
  });

  test("a search by the index with two letters, or with more than the index compares, finds the same", async () => {
    const long = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
    const conversation = (name: string, transcript: string): Conversation => ({
      state: "read",
      agent: null,
      conversation: name,
      rootName: "root",
      hasErrors: false,
      found: { transcript },
    });
    const list = [
      conversation("one", long),
      conversation("two", `${long.slice(0, 200)}-`),
      conversation("three", `so "it" is`),
      conversation("four", Array.from(long, (character) => `qx${character}`).join("")),
    ];
    await store(list);
    for (const search of [
      long,
      `${long.slice(0, 200)}-`,
      long.slice(250),
      "so",
      '"i',
      `"it"`,
      `o "`,
      '""',
      "zz",
      "is",
      "qx",
      long.slice(298),
      "ee",
    ])
      expect(await found({ search }), search).toEqual(expectedOf(list, { search }));
  });
});

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const TOOLS = ["look_up", "book", 'a "quoted" tool', "error", ""];
const TOPICS = ["impossible_times", "truncated", "no_turns"] as unknown as QualityTopic[];
const TIMES = [0, 0.5, 1, 1.5, 2, 3, 1_023, 1_024, 1_025, 2 ** 41];
const latency = fc.option(
  fc.option(fc.constantFrom(...TIMES)).map((max) => ({ n: 1, mean: max, max, p50: max, p95: max })),
);
const measured = fc
  .array(
    fc.record({
      state,
      agent: fc.constantFrom(null, "Ada", "Bob"),
      conversation: fc.constantFrom("sim_", "call "),
      rootName: fc.constantFrom("interrupted", "root"),
      hasErrors: fc.boolean(),
      found: fc.record({
        transcript: fc.option(fc.constantFrom("hello there", "good bye")),
        latency,
        textResponse: latency,
        errors: fc.nat(1),
        interruptions: fc.option(fc.nat(2)),
        qualityTopics: fc.option(fc.subarray(TOPICS)),
        toolUses: fc.subarray(TOOLS).map((tools) => tools.map((tool) => ({ tool, atMs: 1, isError: null }))),
      }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((list) => apart(list));
const filters = fc.record({
  search: maybe(["hello", "bye", "er", "root"]),
  status: maybe(["error", "ok"] as const),
  source: maybe(["simulation", "production"] as const),
  slowerThanMs: maybe(TIMES),
  interrupted: maybe([true, false]),
  tool: maybe(TOOLS),
  quality: maybe(TOPICS),
  agentNames: maybe([["Ada"], ["Ada", "Bob"]]),
});

test("filters by tool, quality, error, interruption, source and latency find what a comparison of all conversations finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      measured,
      fc.array(filters, { minLength: 10, maxLength: 10 }),
      fc.integer({ min: 1, max: 20 }),
      async (list, asked, limit) => {
        await store(list);
        const single = asked.map((one, at) => Object.fromEntries([Object.entries(one)[at % Object.keys(one).length]!]));
        for (const filter of [...asked, ...single])
          expect(await found(filter, limit), JSON.stringify(filter)).toEqual(expectedOf(list, filter));
      },
    ),
    { numRuns: IS_LONG ? 120 : 15 },
  );
}, 120_000);

test("a conversation that was derived again is found by its present words only", async () => {
  const one = (found: Found): Conversation => ({
    state: "read",
    agent: null,
    conversation: "call",
    rootName: "root",
    hasErrors: false,
    found,
  });
  const tool = (name: string) => ({ toolUses: [{ tool: name, atMs: 1, isError: null }] });
  await store([one({ transcript: "former words", ...tool("former") })]);
  await addSums(index.db, [sumsOf(0, { project, conversation: "call", conversationRank: 1 })]);
  await readAll(index, () => ({ transcript: "present words", ...tool("present") }));
  expect([await found({ search: "present" }), await found({ tool: "present" })]).toEqual([[0], [0]]);
  expect([await found({ search: "former" }), await found({ tool: "former" })]).toEqual([[], []]);
  const terms = index.engine.prepare("SELECT count(*) FROM search WHERE search MATCH ?").pluck();
  expect([terms.get('"pre"'), terms.get('"mer"')]).toEqual([1, 0]);
});

test("an erased conversation leaves no part of its texts in the folder once the search index is rewritten", async () => {
  const ingest = await openIngest({ embedded: true });
  const said = (trace: number, words: string) =>
    spanOf(trace, 1, { name: "user_turn", attributes: [attribute("lk.user_transcript", words)] });
  const rare = "☂쟁";
  for (let trace = 1; trace <= 3; trace++)
    await ingest.take(1, [said(trace, trace === 2 ? `the ${rare} words` : "the common words")]);
  await ingest.intake.drain();
  const list = (search: string) =>
    ingest.store.reader
      .list({
        project: 1,
        limit: 10,
        sort: { by: "startedAt", descending: true },
        after: undefined,
        filters: { ...noFilters, search },
      })
      .then(({ rows }) => rows.map(({ traceId }) => traceId));
  expect(await list(rare)).toEqual([traceIdOf(2)]);
  const { eraser } = ingest.store;
  await eraser.erase(1, { traceIds: [traceIdOf(2)], names: [] });
  expect([await list(rare), await list("common words")]).toEqual([[], [traceIdOf(3), traceIdOf(1)]]);
  expect(
    Object.keys(filesWith(ingest.dataDir, rare)),
    "the search index keeps three letters until it is rewritten",
  ).toEqual(["traces.db"]);
  expect(await eraser.rewrite()).toBe(true);
  expect(filesWith(ingest.dataDir, rare)).toEqual({});
  expect(filesWith(ingest.dataDir, rare.slice(0, 1))).toEqual({});
  expect(await eraser.rewrite()).toBe(false);
  expect(await list("common words")).toEqual([traceIdOf(3), traceIdOf(1)]);
  await ingest.close();
});
