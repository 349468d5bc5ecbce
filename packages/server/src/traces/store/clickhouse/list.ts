import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters, TraceListRequest } from "../../rules.ts";
import type { TracePage } from "../trace-store.ts";
import type { ClickHouse } from "./client.ts";
import { IS_READ, SORT_KEY } from "./sort-keys.ts";
import { summariesOf, SUMMARY_COLUMNS, type SummaryColumns } from "./summaries.ts";

/** Returns one page of the conversations that match. */
export async function listConversations(
  clickHouse: ClickHouse,
  db: Db,
  { project, limit, sort, after, filters, counts }: TraceListRequest,
): Promise<TracePage> {
  const key = sql.raw(SORT_KEY[sort.by]);
  const [order, beyond] = sort.descending ? [sql`DESC`, sql`<`] : [sql`ASC`, sql`>`];
  const matches = sql.join([sql`project = ${project} AND traces > 0`, ...conditionsOf(filters)], sql` AND `);
  const isBeyond =
    after === undefined
      ? sql`true`
      : sql`(${key}, trace_id) ${beyond} (${after.value}::bigint, ${after.traceId} COLLATE "C")`;
  const { rows: found } = await sql<SummaryColumns & { sort_key: string }>`
    SELECT ${SUMMARY_COLUMNS}, (${key})::text AS sort_key FROM conversations WHERE ${matches} AND ${isBeyond}
    ORDER BY ${key} ${order}, trace_id ${order} LIMIT ${limit + 1}`.execute(db);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    rows: await summariesOf(clickHouse, db, rows),
    next: last === undefined ? null : { value: last.sort_key, traceId: last.trace_id },
    total: counts === true ? await countUpTo(db, matches) : null,
  };
}

async function countUpTo(db: Db, matches: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM (
      SELECT 1 FROM conversations WHERE ${matches} LIMIT ${LIMITS.conversationsCounted + 1}) found`.execute(db);
  return rows[0]!.total;
}

/** A changed conversation has errors when any of its spans has, and no latency until it is read. */
const HAS_ERRORS = sql.raw(`CASE WHEN ${IS_READ} THEN errors > 0 ELSE has_errors END`);
const SLOWEST = sql.raw(`CASE WHEN ${IS_READ} THEN coalesce(latency_max, text_response_max) END`);

function conditionsOf(filters: TraceFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = [];
  const { agents, agentNames, simulations, conversations, search } = filters;
  if (filters.fromNs !== undefined) where.push(sql`started_ns >= ${String(filters.fromNs)}::bigint`);
  if (filters.toNs !== undefined) where.push(sql`started_ns < ${String(filters.toNs)}::bigint`);
  if (filters.receivedFromMs !== undefined) where.push(sql`received_last_ms >= ${filters.receivedFromMs}`);
  if (filters.status !== undefined) where.push(sql`(${HAS_ERRORS}) = ${filters.status === "error"}`);
  if (filters.source !== undefined) where.push(sql`source = ${filters.source}`);
  const ofAgents = filters.withoutAgent === true ? [sql`agent IS NULL`] : [];
  if (agents !== undefined) ofAgents.push(isAnyOf("agent", agents));
  if (ofAgents.length > 0) where.push(sql`(${sql.join(ofAgents, sql` OR `)})`);
  if (filters.slowerThanMs !== undefined) where.push(sql`(${SLOWEST}) > ${filters.slowerThanMs}`);
  if (filters.interrupted === true) where.push(sql`interruptions > 0`);
  if (filters.interrupted === false) where.push(sql`interruptions = 0`);
  if (filters.tool !== undefined) where.push(sql`${filters.tool} = ANY(tools)`);
  if (filters.quality !== undefined) where.push(sql`${filters.quality} = ANY(quality)`);
  if (agentNames !== undefined) where.push(isAnyOf("agent", agentNames));
  if (simulations !== undefined) where.push(isAnyOf("conversation", simulations));
  if (conversations !== undefined)
    where.push(sql`(${isAnyOf("conversation", conversations)} OR ${isAnyOf("trace_id", conversations)})`);
  if (search !== undefined) where.push(contains(search));
  return where;
}

/** Returns the condition that a column has one of the texts, which are one value of the statement. */
const isAnyOf = (column: string, texts: readonly string[]) =>
  sql`${sql.ref(column)} IN (SELECT * FROM json_array_elements_text(${JSON.stringify(texts)}::json))`;

/** The rules of Unicode for lower case, which the database has in every locale. */
const fold = (text: RawBuilder<unknown>) => sql`lower(normalize(${text}, NFKC) COLLATE "und-x-icu") COLLATE "C"`;
const NAMES = sql.raw("concat_ws(chr(10), agent, conversation, root_name)");

/** The texts of the reading are stored in the form of `searchText`; the names of the sums are stored as sent. */
const contains = (search: string) => sql`(
  strpos(transcript, ${searchText(search)}) > 0 OR strpos(names, ${searchText(search)}) > 0
  OR strpos(${fold(NAMES)}, ${fold(sql`${search}::text`)}) > 0)`;
