import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters, TraceListRequest } from "../../rules.ts";
import type { TracePage } from "../trace-store.ts";
import type { ClickHouse } from "./client.ts";
import { IS_READ, SORT_KEY } from "./sort-keys.ts";
import { conversationsWith } from "./stored-terms.ts";
import { summariesOf, SUMMARY_COLUMNS, type SummaryColumns } from "./summaries.ts";
import { termsOfFilters } from "./terms.ts";

/** A page is looked for among this many conversations in its order, and then among more when a part of it was there. */
const WALKS = [1_000, 20_000];
const GROWTH = WALKS[1]! / WALKS[0]!;

/** Returns one page of the conversations that match. */
export async function listConversations(
  clickHouse: ClickHouse,
  db: Db,
  { project, limit, sort, after, filters, counts }: TraceListRequest,
): Promise<TracePage> {
  const key = sql.raw(SORT_KEY[sort.by]);
  const [order, beyond] = sort.descending ? [sql`DESC`, sql`<`] : [sql`ASC`, sql`>`];
  const scope = sql.join([sql`project = ${project} AND traces > 0`, ...scopeOf(filters)], sql` AND `);
  const matches = sql.join([scope, ...conditionsOf(filters)], sql` AND `);
  const isBeyond =
    after === undefined
      ? sql`true`
      : sql`(${key}, trace_id) ${beyond} (${after.value}::bigint, ${after.traceId} COLLATE "C")`;
  const inOrder = (rows: number) => sql`ORDER BY ${key} ${order}, trace_id ${order} LIMIT ${rows}`;
  const from = conversationsFor(project, filters);

  async function findIn(conversations: RawBuilder<unknown>) {
    const { rows } = await sql<SummaryColumns & { sort_key: string }>`
      SELECT ${SUMMARY_COLUMNS}, (${key})::text AS sort_key FROM ${conversations} WHERE ${matches} AND ${isBeyond}
      ${inOrder(limit + 1)}`.execute(db);
    return rows;
  }

  /** Looks first in the order of the page: an index would collect all conversations that have a frequent term. */
  async function find() {
    for (const walked of from.hasTerms ? WALKS : []) {
      const rows = await findIn(sql`(
        SELECT * FROM conversations WHERE ${scope} AND ${isBeyond} ${inOrder(walked)}) conversations`);
      if (rows.length > limit) return rows;
      if (rows.length * GROWTH < limit) break;
    }
    return findIn(from.conversations);
  }

  const found = await find();
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    rows: await summariesOf(clickHouse, db, rows),
    next: last === undefined ? null : { value: last.sort_key, traceId: last.trace_id },
    total: counts === true ? await countUpTo(db, from.conversations, matches) : null,
  };
}

async function countUpTo(db: Db, from: RawBuilder<unknown>, matches: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM (
      SELECT 1 FROM ${from} WHERE ${matches} LIMIT ${LIMITS.conversationsCounted + 1}) found`.execute(db);
  return rows[0]!.total;
}

/** The conversations that a page is chosen from, and whether an index finds them by terms. */
type Candidates = { conversations: RawBuilder<unknown>; hasTerms: boolean };

/**
 * Returns the conversations that a page is chosen from. Those that a filter names are found by their keys: behind OFFSET, the
 * planner cannot walk the whole order of a page for them.
 */
function conversationsFor(project: number, filters: TraceFilters): Candidates {
  const { simulations, conversations: names } = filters;
  const keys: RawBuilder<unknown>[] = [];
  if (simulations !== undefined) keys.push(sql`key = ANY(${simulations}::text[])`);
  if (names !== undefined)
    keys.push(sql`key = ANY(ARRAY(
      SELECT unnest(${names}::text[])
      UNION ALL SELECT key FROM traces WHERE project = ${project} AND trace_id = ANY(${names}::text[])))`);
  if (keys.length > 0) {
    const conversations = sql`(
      SELECT * FROM conversations WHERE project = ${project} AND ${sql.join(keys, sql` AND `)} OFFSET 0) conversations`;
    return { conversations, hasTerms: false };
  }
  const terms = termsOfFilters(project, filters);
  if (terms.length === 0) return { conversations: sql`conversations`, hasTerms: false };
  return { conversations: conversationsWith(project, terms), hasTerms: true };
}

/** A changed conversation has errors when any of its spans has, and no latency until it is read. */
const HAS_ERRORS = sql.raw(`CASE WHEN ${IS_READ} THEN errors > 0 ELSE has_errors END`);
const SLOWEST = sql.raw(`CASE WHEN ${IS_READ} THEN coalesce(latency_max, text_response_max) END`);

/** Returns the conditions of which an index in the order of a page knows something. */
function scopeOf(filters: TraceFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = [];
  if (filters.fromNs !== undefined) where.push(sql`started_ns >= ${String(filters.fromNs)}::bigint`);
  if (filters.toNs !== undefined) where.push(sql`started_ns < ${String(filters.toNs)}::bigint`);
  if (filters.receivedFromMs !== undefined) where.push(sql`received_last_ms >= ${filters.receivedFromMs}`);
  const ofAgents = filters.withoutAgent === true ? [sql`agent IS NULL`] : [];
  if (filters.agents !== undefined) ofAgents.push(isAnyOf("agent", filters.agents));
  if (ofAgents.length > 0) where.push(sql`(${sql.join(ofAgents, sql` OR `)})`);
  if (filters.agentNames !== undefined) where.push(isAnyOf("agent", filters.agentNames));
  return where;
}

function conditionsOf(filters: TraceFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = [];
  const { simulations, conversations, search } = filters;
  if (filters.status !== undefined) where.push(sql`(${HAS_ERRORS}) = ${filters.status === "error"}`);
  if (filters.source !== undefined) where.push(sql`source = ${filters.source}`);
  if (filters.slowerThanMs !== undefined) where.push(sql`(${SLOWEST}) > ${filters.slowerThanMs}`);
  if (filters.interrupted === true) where.push(sql`interruptions > 0`);
  if (filters.interrupted === false) where.push(sql`interruptions = 0`);
  if (filters.tool !== undefined) where.push(sql`${filters.tool} = ANY(tools)`);
  if (filters.quality !== undefined) where.push(sql`${filters.quality} = ANY(quality)`);
  if (simulations !== undefined) where.push(isAnyOf("conversation", simulations));
  if (conversations !== undefined)
    where.push(sql`(${isAnyOf("conversation", conversations)} OR ${isAnyOf("trace_id", conversations)})`);
  if (search !== undefined) where.push(contains(search));
  return where;
}

/** Returns the condition that a column has one of the texts. An index finds one text in the order of the column behind it. */
const isAnyOf = (column: string, texts: readonly string[]) =>
  texts.length === 1 ? sql`${sql.ref(column)} = ${texts[0]}` : sql`${sql.ref(column)} = ANY(${texts}::text[])`;

/** The rules of Unicode for lower case, which the database has in every locale. */
const fold = (text: RawBuilder<unknown>) => sql`lower(normalize(${text}, NFKC) COLLATE "und-x-icu") COLLATE "C"`;
const NAMES = sql.raw("concat_ws(chr(10), agent, conversation, root_name)");

/** The texts of the reading are stored in the form of `searchText`; the names of the sums are stored as sent. */
const contains = (search: string) => sql`(
  strpos(transcript, ${searchText(search)}) > 0 OR strpos(names, ${searchText(search)}) > 0
  OR strpos(${fold(NAMES)}, ${fold(sql`${search}::text`)}) > 0)`;
