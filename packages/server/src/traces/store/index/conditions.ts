import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import type { TraceFilters } from "../../rules.ts";
import { indexDialectOf } from "./dialect.ts";
import { IS_READ } from "./sort-keys.ts";

// The filters of conversations as conditions on the columns of `conversations`.

/**
 * A conversation with spans that arrived since it was derived has errors if any of its spans failed. Its latency is unknown until
 * it is derived again.
 */
const HAS_ERRORS = sql.raw(`CASE WHEN ${IS_READ} THEN errors > 0 ELSE has_errors END`);
const SLOWEST = sql.raw(`CASE WHEN ${IS_READ} THEN coalesce(latency_max, text_response_max) END`);

/** Returns the conditions on columns of the database indexes that have the order of a page. */
export function scopeOf(db: Db, filters: TraceFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = [];
  if (filters.fromNs !== undefined) where.push(sql`started_ns >= CAST(${String(filters.fromNs)} AS BIGINT)`);
  if (filters.toNs !== undefined) where.push(sql`started_ns < CAST(${String(filters.toNs)} AS BIGINT)`);
  if (filters.receivedFromMs !== undefined) where.push(sql`received_last_ms >= ${filters.receivedFromMs}`);
  const ofAgents = filters.withoutAgent === true ? [sql`agent IS NULL`] : [];
  if (filters.agents !== undefined) ofAgents.push(isAnyOf(db, "agent", filters.agents));
  if (ofAgents.length > 0) where.push(sql`(${sql.join(ofAgents, sql` OR `)})`);
  if (filters.agentVersions !== undefined) where.push(isAnyOf(db, "agent_version", filters.agentVersions));
  if (filters.channels !== undefined) where.push(isAnyOf(db, "channel", filters.channels));
  if (filters.agentNames !== undefined) where.push(isAnyOf(db, "agent", filters.agentNames));
  if (filters.ending !== undefined) where.push(isAnyOf(db, "reported_ending", [filters.ending]));
  return where;
}

type ComparedFilters = Omit<
  TraceFilters,
  | "fromNs"
  | "toNs"
  | "receivedFromMs"
  | "agents"
  | "agentVersions"
  | "channels"
  | "withoutAgent"
  | "agentNames"
  | "ending"
>;

const CONDITIONS: {
  [F in keyof ComparedFilters]-?: (wanted: NonNullable<ComparedFilters[F]>, db: Db) => RawBuilder<unknown>;
} = {
  status: (status) => sql`(${HAS_ERRORS}) = ${sql.lit(status === "error")}`,
  source: (source) => sql`source = ${source}`,
  slowerThanMs: (ms) => sql`(${SLOWEST}) > ${ms}`,
  interrupted: (isWanted) => (isWanted ? sql`interruptions > 0` : sql`interruptions = 0`),
  tool: (tool, db) => indexDialectOf(db).listHas("tools", tool),
  quality: (topic, db) => indexDialectOf(db).listHas("quality", topic),
  simulations: (names, db) => isAnyOf(db, "conversation", names),
  // `conversationsFor` returns only these.
  traceIds: () => sql`1 = 1`,
  conversations: (names, db) => sql`(${isAnyOf(db, "conversation", names)} OR ${isAnyOf(db, "trace_id", names)})`,
  search: (search, db) => containsText(db, search),
};

export function conditionsOf(db: Db, filters: TraceFilters): RawBuilder<unknown>[] {
  return (Object.keys(CONDITIONS) as (keyof ComparedFilters)[]).flatMap((name) => {
    const [condition, wanted] = [CONDITIONS[name] as (wanted: unknown, db: Db) => RawBuilder<unknown>, filters[name]];
    return wanted === undefined ? [] : [condition(wanted, db)];
  });
}

/** For a single text, an index on the column also gives the order. */
export const isAnyOf = (db: Db, column: string, texts: readonly string[]) =>
  texts.length === 1 ? sql`${sql.ref(column)} = ${texts[0]}` : sql`${sql.ref(column)} IN ${listed(db, texts)}`;

/** Returns the conditions on the key of conversations that the filters name. */
export function namedKeys(
  db: Db,
  project: number,
  { simulations, traceIds, conversations: names }: Pick<TraceFilters, "simulations" | "traceIds" | "conversations">,
): RawBuilder<unknown>[] {
  const keys: RawBuilder<unknown>[] = [];
  if (simulations !== undefined) keys.push(sql`key IN ${listed(db, simulations)}`);
  if (traceIds !== undefined)
    keys.push(sql`key IN (SELECT key FROM traces WHERE project = ${project} AND trace_id IN ${listed(db, traceIds)})`);
  if (names !== undefined)
    keys.push(sql`key IN (
      SELECT text FROM ${listed(db, names)} AS names
      UNION ALL SELECT key FROM traces WHERE project = ${project} AND trace_id IN ${listed(db, names)})`);
  return keys;
}

function listed(db: Db, texts: readonly string[]): RawBuilder<unknown> {
  const rows = texts.map((text) => ({ text }));
  return sql`(SELECT text FROM ${indexDialectOf(db).table("listed", { text: "text" }, rows)})`;
}

/** `namesContain` normalizes names, which are stored as they were sent. */
function containsText(db: Db, search: string): RawBuilder<boolean> {
  const { position, namesContain } = indexDialectOf(db);
  const text = searchText(search);
  return sql`(${position("transcript", text)} > 0 OR ${position("names", text)} > 0 OR ${namesContain(search)})`;
}
