import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import type { TraceCursor, TraceFilters, TraceListRequest } from "../../rules.ts";
import type { TracePage } from "../trace-store.ts";
import { conditionsOf, namedKeys, scopeOf } from "./conditions.ts";
import { indexDialectOf } from "./dialect.ts";
import { findMatches } from "./search-matches.ts";
import type { FindCandidates } from "./search-words.ts";
import { sortKeysOf } from "./sort-keys.ts";
import { type CountSpans, summariesOf, SUMMARY_COLUMNS, type SummaryColumns } from "./summaries.ts";

/** Number of conversations that are compared one by one, in the page's order, before the search index is used. */
const FIRST_WALK = 1_000;
/** Largest number of conversations that one statement compares one by one. */
const WALK = 20_000;

export async function listConversations(
  countSpans: CountSpans,
  db: Db,
  { project, limit, sort, after, filters, counts }: TraceListRequest,
): Promise<TracePage> {
  const key = sql.raw(sortKeysOf(db)[sort.by]);
  const [order, beyond] = sort.descending ? [sql`DESC`, sql`<`] : [sql`ASC`, sql`>`];
  const limits = scopeOf(db, filters);
  const scope = sql.join([sql`project = ${project} AND traces > 0`, ...limits], sql` AND `);
  const conditions = conditionsOf(db, filters);
  const matches = sql.join([scope, ...conditions], sql` AND `);
  const from = conversationsFor(db, project, filters);
  let candidatesFound: ReturnType<FindCandidates> | undefined;
  const inOrder = (rows: number) => sql`ORDER BY ${key} ${order}, trace_id ${order} LIMIT ${rows}`;
  const isBeyond = (cursor: TraceCursor | undefined) =>
    cursor === undefined
      ? sql`1 = 1`
      : sql`(${key}, trace_id) ${beyond} (CAST(${cursor.value} AS BIGINT), ${indexDialectOf(db).inBytes(cursor.traceId)})`;

  async function findIn(conversations: RawBuilder<unknown>, most: number): Promise<Found[]> {
    const { rows } = await sql<Found>`
      SELECT ${SUMMARY_COLUMNS}, CAST(${key} AS TEXT) AS sort_key FROM ${conversations} AS conversations
      WHERE ${matches} AND ${isBeyond(after)} ${inOrder(most)}`.execute(db);
    return rows;
  }

  const walkOf = (cursor: TraceCursor | undefined, rows: number) =>
    sql`(SELECT * FROM conversations WHERE ${scope} AND ${isBeyond(cursor)} ${inOrder(rows)})`;

  /** Returns the cursor of the conversation that is `walked` conversations after `cursor`; undefined if fewer conversations are left. */
  async function endOf(cursor: TraceCursor | undefined, walked: number): Promise<TraceCursor | undefined> {
    const { rows } = await sql<{ value: string; traceId: string }>`
      SELECT CAST(${key} AS TEXT) AS value, trace_id AS "traceId" FROM conversations
      WHERE ${scope} AND ${isBeyond(cursor)} ${inOrder(1)} OFFSET ${walked - 1}`.execute(db);
    return rows[0];
  }

  /** Yields subqueries for the conversations after a cursor, in the page's order. Each has at most `WALK` conversations. */
  async function* walks(cursor: TraceCursor | undefined): AsyncGenerator<RawBuilder<unknown>> {
    do {
      yield walkOf(cursor, WALK);
      cursor = await endOf(cursor, WALK);
      await nextTurn();
    } while (cursor !== undefined);
  }

  /** Returns the conversations that contain all rows of the page; undefined if all conversations must be compared one by one. */
  async function candidates(): Promise<RawBuilder<unknown> | undefined> {
    if (from !== undefined) return (candidatesFound ??= candidatesIn(from));
    return conditions.length > 0 ? undefined : sql`conversations`;
  }

  /** Searches in the search index, unless only a few conversations are within the filters' limits. */
  async function candidatesIn({ hasWords, find }: Candidates): Promise<RawBuilder<unknown> | undefined> {
    const isNarrow = hasWords && limits.length > 0 && (await endOf(undefined, FIRST_WALK)) === undefined;
    return isNarrow ? walkOf(undefined, FIRST_WALK) : find(db);
  }

  /** Compares the first conversations of the page first. For a frequent word, the search index would return too many conversations. */
  async function findPage(): Promise<Found[]> {
    const rows = from?.hasWords ? await findIn(walkOf(after, FIRST_WALK), limit + 1) : [];
    if (rows.length > limit) return rows;
    const conversations = await candidates();
    if (conversations !== undefined) return findIn(conversations, limit + 1);
    const page: Found[] = [];
    for await (const walk of walks(after)) {
      page.push(...(await findIn(walk, limit + 1 - page.length)));
      if (page.length > limit) break;
    }
    return page;
  }

  async function countIn(conversations: RawBuilder<unknown>, most: number): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      SELECT count(*) AS total FROM (SELECT 1 FROM ${conversations} AS conversations WHERE ${matches} LIMIT ${most}) AS found`.execute(
      db,
    );
    return rows[0]!.total;
  }

  async function count(): Promise<number> {
    const most = LIMITS.conversationsCounted + 1;
    const conversations = await candidates();
    if (conversations !== undefined) return countIn(conversations, most);
    let total = 0;
    for await (const walk of walks(undefined)) {
      total += await countIn(walk, most - total);
      if (total >= most) break;
    }
    return total;
  }

  const found = await findPage();
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const keys = rows.map((row) => row.key);
  const places = filters.search === undefined ? undefined : await findMatches(db, project, keys, filters.search);
  return {
    rows: await summariesOf(countSpans, db, rows),
    matches: keys.map((each) => places?.get(each) ?? null),
    next: last === undefined ? null : { value: last.sort_key, traceId: last.trace_id },
    total: counts === true ? await count() : null,
  };
}

type Found = SummaryColumns & { sort_key: string };

/** A search for conversations that include all rows of a page. `hasWords` is true if it uses the search index. */
type Candidates = { find: FindCandidates; hasWords: boolean };

/**
 * Returns a search for conversations that include every row of the requested page; undefined if no index fits the filters. Finds
 * conversations that a filter names by their keys. With OFFSET, the planner does not scan all conversations in the page's order to find
 * these few.
 */
function conversationsFor(db: Db, project: number, filters: TraceFilters): Candidates | undefined {
  const keys = namedKeys(db, project, filters);
  if (keys.length > 0) {
    const conversations = sql`(
      SELECT * FROM conversations WHERE project = ${project} AND ${sql.join(keys, sql` AND `)} LIMIT ${ALL} OFFSET 0)`;
    return { find: () => Promise.resolve(conversations), hasWords: false };
  }
  const find = indexDialectOf(db).search.candidates(project, filters);
  return find && { find, hasWords: true };
}

/** A LIMIT that is larger than the number of conversations in any store. */
const ALL = 2 ** 31;
