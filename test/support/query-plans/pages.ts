import type { TraceFilters, TraceSort } from "../../../packages/server/src/traces/rules.ts";
import { createCountSpans } from "../../../packages/server/src/traces/store/folder/bodies.ts";
import { listConversations } from "../../../packages/server/src/traces/store/index/list.ts";
import { noFilters, traceIdOf } from "../ingest.ts";
import type { Case } from "./case.ts";

const NEWEST: TraceSort = { by: "startedAt", descending: true };
const AFTER = { value: "5", traceId: traceIdOf(1) };
/** Returns the query for one page of the list of conversations. */
export const list =
  (filters: Partial<TraceFilters> = {}, sort = NEWEST, after?: typeof AFTER, counts = true): Case["ask"] =>
  ({ db }) =>
    listConversations(createCountSpans(db), db, {
      project: 1,
      limit: 50,
      sort,
      after,
      filters: { ...noFilters, ...filters },
      counts,
    });

/** This text occurs only in the statement that reads a page. */
export const PAGE = "AS sort_key";
export const BY_START = { uses: "conversations_by_startedat", inOrder: PAGE };
export const sorts = (["startedAt", "duration", "latency", "slowest", "lastReceived"] as const).flatMap((by) =>
  [true, false].flatMap((descending) =>
    [undefined, AFTER].map((after): [string, Case] => [
      `a ${after === undefined ? "first" : "later"} page by ${by}, ${descending ? "descending" : "ascending"}`,
      { ask: list({}, { by, descending }, after), uses: `conversations_by_${by.toLowerCase()}`, inOrder: PAGE },
    ]),
  ),
);

/** Filters with words. The search index answers them when the first conversations in the order of the list do not fill the page. */
export const words: [string, Case][] = (
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

/**
 * Filters without words. The database searches for the page in the order of an index, and may have to read all conversations of the
 * project.
 */
export const withoutWords: [string, Case][] = (
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
