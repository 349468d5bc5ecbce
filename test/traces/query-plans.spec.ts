import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type CompiledQuery, Kysely, SqliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../packages/server/src/stores/relational.ts";
import type { Schema } from "../../packages/server/src/stores/schema.ts";
import { decideMetrics } from "../../packages/server/src/traces/metrics/metric-rules.ts";
import type { TraceFilters, TraceSort } from "../../packages/server/src/traces/rules.ts";
import {
  bodiesOf,
  bodiesOfConversations,
  createCountSpans,
  receivedSpans,
} from "../../packages/server/src/traces/store/folder/bodies.ts";
import { createFolderExporter } from "../../packages/server/src/traces/store/folder/export.ts";
import type { FolderParts } from "../../packages/server/src/traces/store/folder/store.ts";
import {
  findVersionConversations,
  listAgentVersions,
  setVersionAttributes,
} from "../../packages/server/src/traces/store/index/agent-versions.ts";
import { countConversations } from "../../packages/server/src/traces/store/index/counts.ts";
import {
  giveBack,
  isAnyUnread,
  takeDue,
  tracesOf,
} from "../../packages/server/src/traces/store/index/due-conversations.ts";
import { deleteTraces, forgetReadings, tracesBegunBefore } from "../../packages/server/src/traces/store/index/erase.ts";
import { conversationRows, readingRows } from "../../packages/server/src/traces/store/index/export-rows.ts";
import { listConversations } from "../../packages/server/src/traces/store/index/list.ts";
import {
  conversationsBefore,
  namesOf,
  selectTraces,
  withDigests,
} from "../../packages/server/src/traces/store/index/names.ts";
import { noteReadings, readUnmovedAgain } from "../../packages/server/src/traces/store/folder/waiting-samples.ts";
import { createReadingWaits } from "../../packages/server/src/traces/store/index/reading-waits.ts";
import { storeReadings } from "../../packages/server/src/traces/store/index/readings.ts";
import {
  findProjects,
  findSummary,
  lastSentMs,
  readSince,
  watch,
} from "../../packages/server/src/traces/store/index/reads.ts";
import { markForRemap } from "../../packages/server/src/traces/store/index/remap.ts";
import { findMatches } from "../../packages/server/src/traces/store/index/search-matches.ts";
import { addSums } from "../../packages/server/src/traces/store/index/writes.ts";
import { EMPTY_READING } from "../../packages/server/src/traces/store/reading.ts";
import { noFilters, traceIdOf } from "../support/ingest.ts";
import { openTraceIndex, readAll, sumsOf, type TraceIndex } from "../support/trace-index.ts";

let index: TraceIndex;
/** The index, with a query builder that keeps each statement. */
let db: Db;
let statements: CompiledQuery[] = [];
beforeAll(async () => {
  index = await openTraceIndex();
  const dialect = new SqliteDialect({ database: index.engine });
  db = new Kysely<Schema>({ dialect, log: ({ query }) => void statements.push(query) });
  await addSums(db, [sumsOf(1), sumsOf(2)]);
  await readAll(index);
});
afterAll(() => index.close());

/** Indexes that hold only conversations that wait for something. */
const OF_FEW = ["conversations_due", "conversations_without_terms"];
/** Tables of few rows. */
const SMALL = ["trace_index", "unmoved_readings", "version_attributes"];

type Plan = { sql: string; steps: string[] };

function plansOf(queries: readonly CompiledQuery[]): Plan[] {
  return queries
    .filter(({ sql }) => !/^(begin|commit|rollback|savepoint|release)\b/i.test(sql))
    .map(({ sql, parameters }) => ({
      sql,
      steps: index.engine
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail),
    }));
}

/**
 * Returns the steps of a plan that read all rows of a table or of a project, besides those that walk along an index until a page
 * is full and those of indexes with few rows.
 */
function scansOf({ sql, steps }: Plan): string[] {
  const made = new Set(steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(step)?.[1] ?? []));
  const walks = /\bLIMIT\b/.test(sql) && !steps.some((step) => step.includes("TEMP B-TREE"));
  return steps.filter((step) => {
    if (OF_FEW.some((name) => step.includes(`INDEX ${name}`))) return false;
    if (/^SEARCH .* \(project=\?\)$/.test(step)) return !walks;
    const [, table] = /^SCAN (\S+)/.exec(step) ?? [];
    if (table === undefined || made.has(table) || table.startsWith("(") || SMALL.includes(table)) return false;
    return !/VIRTUAL TABLE|CONSTANT ROW/.test(step);
  });
}

type Case = {
  ask: () => Promise<unknown>;
  /** An index that one of its statements uses. */
  uses?: string;
  /** A condition that the index bounds. */
  bound?: string;
  /** A part of the statement whose rows come in the order of an index, so that nothing is sorted. */
  inOrder?: string;
  /** Why a statement of it reads all rows of the project. */
  readsAll?: string;
};

/** Returns what is wrong with the plans of a case. */
function faultsOf(plans: readonly Plan[], { uses, bound, inOrder, readsAll }: Case): string[] {
  const steps = plans.flatMap((plan) => plan.steps);
  const ordered = plans.filter(({ sql }) => inOrder !== undefined && sql.includes(inOrder));
  const scans = plans.flatMap(scansOf).filter((step) => readsAll === undefined || step.startsWith("SCAN"));
  return [
    ...scans,
    ...(uses === undefined || steps.some((step) => new RegExp(`INDEX ${uses}\\b`).test(step)) ? [] : [`no ${uses}`]),
    ...(bound === undefined || steps.some((step) => step.includes(bound)) ? [] : [`no bound ${bound}`]),
    ...(inOrder !== undefined && ordered.length === 0 ? [`no statement with ${inOrder}`] : []),
    ...ordered.flatMap((plan) => plan.steps.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))),
  ];
}

async function statementsOf({ ask }: Case): Promise<CompiledQuery[]> {
  index.engine.exec(
    "UPDATE conversations SET read_change = change, terms_change = change, due_ms = NULL, leased_until_ms = 0",
  );
  statements = [];
  await ask();
  return statements;
}

const NEWEST: TraceSort = { by: "startedAt", descending: true };
const AFTER = { value: "5", traceId: traceIdOf(1) };
const list =
  (filters: Partial<TraceFilters> = {}, sort = NEWEST, after?: typeof AFTER, counts = true) =>
  () =>
    listConversations(createCountSpans(db), db, {
      project: 1,
      limit: 50,
      sort,
      after,
      filters: { ...noFilters, ...filters },
      counts,
    });

/** The statement of a page. */
const PAGE = "AS sort_key";
const BY_START = { uses: "conversations_by_startedat", inOrder: PAGE };
const sorts = (["startedAt", "duration", "latency", "slowest", "lastReceived"] as const).flatMap((by) =>
  [true, false].flatMap((descending) =>
    [undefined, AFTER].map((after): [string, Case] => [
      `a ${after === undefined ? "first" : "later"} page by ${by}, ${descending ? "descending" : "ascending"}`,
      { ask: list({}, { by, descending }, after), uses: `conversations_by_${by.toLowerCase()}`, inOrder: PAGE },
    ]),
  ),
);

/** Filters that the search index answers, when the first conversations of the order do not fill the page. */
const words: [string, Case][] = (
  [
    ["a search", { search: "hello" }],
    ["a search of three letters", { search: "abc" }],
    ["a search of two letters", { search: "ab" }],
    ["a search of two letters with a tool", { search: "ab", tool: "look_up" }],
    ["failed ones", { status: "error" }],
    ["interrupted ones", { interrupted: true }],
    ["simulations", { source: "simulation" }],
    ["slower ones", { slowerThanMs: 800 }],
    ["a tool", { tool: "look_up" }],
    ["a topic of quality", { quality: "no_turns" as never }],
  ] as [string, Partial<TraceFilters>][]
).map(([name, filters]) => [
  `a page with ${name}`,
  {
    ask: list(filters),
    uses: "conversations_without_terms",
  },
]);

/** Filters without a word: a page is looked for in the order of an index, and may need all conversations of the project. */
const withoutWords: [string, Case][] = (
  [
    ["a search of one letter", { search: "a" }],
    ["those without failure", { status: "ok" }],
    ["those that nobody interrupted", { interrupted: false }],
    ["production", { source: "production" }],
    ["slower ones than any", { slowerThanMs: 0.5 }],
    ["conversations of several agents", { agents: ["Ada", "Bob"] }],
    ["conversations with an agent or without one", { agents: ["Ada"], withoutAgent: true }],
    ["those of a time", { fromNs: 1n, toNs: 9n }],
  ] as [string, Partial<TraceFilters>][]
).map(([name, filters]) => [`a page with ${name}`, { ask: list(filters), ...BY_START }]);

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

const key = { project: 1, key: traceIdOf(1) };
const trace = { project: 1, traceId: traceIdOf(1) };
const makeDue = () => index.engine.exec("UPDATE conversations SET due_ms = 1, leased_until_ms = 0");
const makeUnread = () => index.engine.exec("UPDATE conversations SET change = change + 1, due_ms = 1");

const BY_AGENT_VERSION = {
  uses: "conversations_by_agent_version",
  bound: "(project=? AND source=? AND agent=? AND agent_version=?)",
};

const others: [string, Case][] = [
  [
    "a search in the few conversations of an agent of a day",
    {
      ask: list({ search: "hello", agents: ["Ada"], fromNs: 1n, toNs: 9n }),
      ...BY_START,
    },
  ],
  ["the places at which a search matches", { ask: () => findMatches(db, 1, [traceIdOf(1), traceIdOf(2)], "hello") }],
  [
    "a page of one agent",
    { ask: list({ agents: ["Ada"] }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of one agent by its name",
    { ask: list({ agentNames: ["Ada"] }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of one version of agents",
    { ask: list({ agentVersions: ["41"] }), uses: "conversations_by_version", bound: "agent_version=?", inOrder: PAGE },
  ],
  [
    "a page of one version of an agent",
    {
      ask: list({ agents: ["Ada"], agentVersions: ["41"] }),
      uses: "conversations_by_version",
      bound: "agent_version=?",
      inOrder: PAGE,
    },
  ],
  [
    "a page of one ending",
    { ask: list({ ending: "voicemail" }), uses: "conversations_by_ending", bound: "reported_ending=?", inOrder: PAGE },
  ],
  ["a page of several versions", { ask: list({ agentVersions: ["41", "42"] }), ...BY_START }],
  ["the versions of all agents", { ask: () => listAgentVersions(db, 1, undefined), ...BY_AGENT_VERSION }],
  ["the versions of some agents", { ask: () => listAgentVersions(db, 1, ["Ada", "Bob"]), ...BY_AGENT_VERSION }],
  [
    "the conversations of a version",
    {
      ask: () => findVersionConversations(db, { project: 1, agent: "Ada", version: "41", fromMs: 0, toMs: 9 }),
      uses: "conversations_by_agent_version",
      bound: "agent_version=? AND started_ns>? AND started_ns<?",
      inOrder: "ORDER BY started_ns DESC",
    },
  ],
  ["the attributes of versions", { ask: () => setVersionAttributes(db, [{ project: 1, attribute: "ring" }]) }],
  [
    "the counts of a version",
    {
      ask: () => countConversations(db, { ...decideMetrics(1, { bucket: "day", agentVersion: ["41"] }, Date.now()) }),
    },
  ],
  [
    "the counts by version",
    { ask: () => countConversations(db, { ...decideMetrics(1, { bucket: "day", byVersion: true }, Date.now()) }) },
  ],
  [
    "a page without agent",
    { ask: list({ withoutAgent: true }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of those that were received lately",
    { ask: list({ receivedFromMs: 5 }), uses: "conversations_by_lastreceived" },
  ],
  ["a page of simulations", { ask: list({ simulations: ["sim_1", "sim_2"] }) }],
  ["a page of named conversations", { ask: list({ conversations: ["one", traceIdOf(1)] }) }],
  [
    "the counts of a week",
    {
      ask: () => countConversations(db, { ...decideMetrics(1, { bucket: "day" }, Date.now()) }),
      uses: "conversations_by_startedat",
    },
  ],
  [
    "the counts of an agent",
    { ask: () => countConversations(db, { ...decideMetrics(1, { bucket: "day", agent: ["Ada"] }, Date.now()) }) },
  ],
  [
    "what is due",
    {
      ask: async () => {
        makeDue();
        return takeDue(db, 10, false);
      },
      uses: "conversations_due",
    },
  ],
  [
    "what is unread",
    {
      ask: async () => {
        makeDue();
        return takeDue(db, 10, true);
      },
      uses: "conversations_due",
    },
  ],
  ["whether anything is unread", { ask: () => isAnyUnread(db), uses: "conversations_due" }],
  [
    "what is given back",
    {
      ask: async () => {
        makeDue();
        return giveBack(db, await takeDue(db, 10, true));
      },
    },
  ],
  [
    "readings since one",
    {
      ask: () => readSince(createCountSpans(db), db, 1, 0n, 50),
      uses: "conversations_by_reading",
      inOrder: "ORDER BY reading DESC",
    },
  ],
  ["a summary", { ask: () => findSummary(createCountSpans(db), db, 1, traceIdOf(1)) }],
  [
    "a summary of an unread conversation",
    {
      ask: async () => {
        makeUnread();
        return findSummary(createCountSpans(db), db, 1, traceIdOf(1));
      },
      uses: "traces_by_key",
    },
  ],
  [
    "a page with unread conversations",
    {
      ask: async () => {
        makeUnread();
        return list()();
      },
      ...BY_START,
    },
  ],
  ["a watch", { ask: () => watch(db, 1, traceIdOf(1), () => undefined) }],
  ["a wait", { ask: () => createReadingWaits(db, () => undefined)([{ ...trace, lsn: 1 }]) }],
  ["projects with a trace", { ask: () => findProjects(db, [1, 2], traceIdOf(1)) }],
  [
    "the last span of a worker",
    { ask: () => lastSentMs(db, 1), uses: "conversations_by_lastreceived", inOrder: "ORDER BY received_last_ms" },
  ],
  [
    "traces by ids and names",
    { ask: () => selectTraces(db, 1, { traceIds: [traceIdOf(1)], names: ["one"] }), uses: "traces_by_key" },
  ],
  ["the names of a conversation", { ask: () => namesOf(db, 1, traceIdOf(1)), uses: "traces_by_key" }],
  ["traces by digests", { ask: () => withDigests(db, 1, ["0a"]), readsAll: "the digests are not stored" }],
  ["conversations before a day", { ask: () => conversationsBefore(db, 5), uses: "traces_by_arrival" }],
  [
    "a project's conversations before a day",
    { ask: () => conversationsBefore(db, 5, 1), uses: "traces_of_project_by_arrival" },
  ],
  ["a project's traces before a day", { ask: () => tracesBegunBefore(db, 5, 1), uses: "traces_of_project_by_arrival" }],
  ["traces before a day", { ask: () => tracesBegunBefore(db, 5), uses: "traces_by_arrival" }],
  ["traces of conversations", { ask: () => tracesOf(db, [key], 5), uses: "traces_by_key" }],
  ["the bodies of traces", { ask: () => bodiesOf(db, [trace]) }],
  ["the bodies of conversations", { ask: () => bodiesOfConversations(db, [key], 5), uses: "traces_by_key" }],
  ["the number of spans", { ask: () => createCountSpans(db)([trace]) }],
  ["the number of a conversation's spans", { ask: () => receivedSpans(db, key), uses: "traces_by_key" }],
  [
    "readings without their samples",
    {
      ask: () => {
        index.engine.exec("INSERT OR REPLACE INTO unmoved_readings VALUES (1, 1, NULL)");
        return readUnmovedAgain(db, { lastReading: () => 0, store: async () => undefined });
      },
      uses: "conversations_by_reading",
    },
  ],
  [
    "new spans",
    {
      ask: () => addSums(db, [sumsOf(1), sumsOf(3, { conversation: "three", conversationRank: 1 })]),
      uses: "traces_by_key",
    },
  ],
  [
    "a reading",
    {
      ask: async () => {
        makeDue();
        return storeReadings(
          db,
          (await takeDue(db, 10, true)).map((conversation) => ({
            conversation,
            reading: EMPTY_READING,
            spans: 1,
            errors: 0,
          })),
          noteReadings,
        );
      },
    },
  ],
  ["a remap", { ask: () => markForRemap(db, 1, false), readsAll: "it changes all of them" }],
  [
    "an erasure",
    {
      ask: () =>
        db.transaction().execute(async (tx) => {
          await deleteTraces(tx, [{ project: 1, traceId: traceIdOf(9) }]);
          await forgetReadings(tx, [{ project: 1, key: traceIdOf(9) }]);
        }),
    },
  ],
  ["exported conversations", { ask: () => all(conversationRows(db, 1)), inOrder: "AS page_key" }],
  ["exported readings", { ask: () => all(readingRows(db, 1)), inOrder: "AS page_key" }],
];

/** The exporter needs only the index here: no body is stored. */
const exporter = () => createFolderExporter({ db } as FolderParts, index.dataDir);
const ofExports: [string, Case][] = [
  ["the days of an export", { ask: () => exporter().days(1), uses: "bodies_by_arrival" }],
  [
    "the bodies of a day",
    {
      ask: () =>
        exporter().write({ table: "spans", project: 1, day: 5 }, join(index.dataDir, `${randomUUID()}.parquet`)),
      uses: "bodies_by_arrival",
    },
  ],
];

const cases = [...sorts, ...words, ...withoutWords, ...others, ...ofExports];

describe("no statement reads all traces, conversations or bodies", () => {
  test.each(cases)("no statement reads a whole table for %s", async (_, one) => {
    const plans = plansOf(await statementsOf(one));
    expect(plans.length).toBeGreaterThan(0);
    expect(faultsOf(plans, one), plans.map(({ sql, steps }) => [sql, ...steps].join("\n  ")).join("\n\n")).toEqual([]);
  });

  test.each(words)("%s asks the search index", async (_, one) => {
    const plans = plansOf(await statementsOf(one));
    expect(plans.flatMap(({ steps }) => steps).join("\n")).toMatch(/SCAN search VIRTUAL TABLE INDEX \d+:M/);
  });
});

test("each index of the tables is needed: without it a plan of these has a fault", async () => {
  const { engine } = index;
  const names = engine
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    .pluck()
    .all();
  expect(names).toContain("conversations_by_startedat");
  const asked: [Case, CompiledQuery[]][] = [];
  for (const [, one] of cases) {
    const { uses: _, ...rest } = one;
    asked.push([rest, await statementsOf(one)]);
  }
  const faults = () => asked.map(([one, queries]) => faultsOf(plansOf(queries), one));
  const before = faults();
  const needless = names.filter((name) => {
    engine.exec(`BEGIN; DROP INDEX ${name}`);
    try {
      return isDeepStrictEqual(faults(), before);
    } catch (error) {
      if ((error as Error).message !== `no such index: ${name}`) throw error;
      return false;
    } finally {
      engine.exec("ROLLBACK");
    }
  });
  expect(needless).toEqual([]);
});
