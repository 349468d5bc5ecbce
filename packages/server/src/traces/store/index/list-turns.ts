import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type { SAMPLE_PROVENANCES } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import type { TurnCursor, TurnFilters, TurnListRequest, TurnSort } from "../../turn-rules.ts";
import type { ListedTurnRow, TurnPage } from "../trace-store.ts";
import { conditionsOf, namedKeys, scopeOf } from "./conditions.ts";
import { indexDialectOf, listOf } from "./dialect.ts";
import { UNKNOWN_US } from "./turns.ts";

type Sql = RawBuilder<unknown>;

/** Number of turns that are compared one by one, in the page's order, before the turns that match are looked for in another way. */
const FIRST_WALK = 2_000;
/** Largest number of turns that one statement compares one by one. */
const WALK = 20_000;
/** Largest number of turns that are sorted for a page. */
const SORTED_MAX = 5_000;
/** A LIMIT that is larger than the number of rows in any store. */
const ALL = 2 ** 31;

const ORDERS = { startedAt: "turn_ns, key, turn", answerMs: "answer_us, turn_ns, key, turn" };

/**
 * Returns a page of turns. Reads the turns in the order of the page until the page is full. When the first of them do not fill it and
 * few turns can match, sorts these few instead.
 */
export async function listTurns(db: Db, { project, limit, sort, after, filters }: TurnListRequest): Promise<TurnPage> {
  const columns = sql.raw(ORDERS[sort.by]);
  const order = sql.raw(inOrder(ORDERS[sort.by], sort.descending));
  const bounds = boundsOf(project, filters, sort.by);
  const matches = sql.join(
    [...bounds, ...ownConditions(db, filters), ofConversation(db, project, filters)],
    sql` AND `,
  );

  function isBeyond(cursor: TurnCursor | undefined): Sql {
    if (cursor === undefined) return sql`1 = 1`;
    const { answerUs, startedNs, key, turn } = cursor;
    const start = sql`CAST(${startedNs} AS BIGINT), ${indexDialectOf(db).inBytes(key)}, ${turn}`;
    const values = sort.by === "startedAt" ? start : sql`CAST(${answerUs} AS BIGINT), ${start}`;
    return sql`(${columns}) ${sort.descending ? sql`<` : sql`>`} (${values})`;
  }

  const walkOf = (cursor: TurnCursor | undefined, rows: number) => sql`(
    SELECT * FROM turns WHERE ${sql.join(bounds, sql` AND `)} AND ${isBeyond(cursor)} ORDER BY ${order} LIMIT ${rows})`;

  async function findIn(turns: Sql, most: number): Promise<Found[]> {
    const { rows } = await sql<Found>`
      SELECT ${COLUMNS} FROM ${turns} AS turns WHERE ${matches} AND ${isBeyond(after)} ORDER BY ${order} LIMIT ${most}`.execute(
      db,
    );
    return rows;
  }

  /** Returns the cursor of the turn that is `walked` turns after `cursor`; undefined if fewer turns are left. */
  async function endOf(cursor: TurnCursor | undefined, walked: number): Promise<TurnCursor | undefined> {
    const { rows } = await sql<CursorColumns>`
      SELECT key, turn, CAST(turn_ns AS TEXT) AS started, CAST(answer_us AS TEXT) AS answer FROM turns
      WHERE ${sql.join(bounds, sql` AND `)} AND ${isBeyond(cursor)} ORDER BY ${order} LIMIT 1 OFFSET ${walked - 1}`.execute(
      db,
    );
    return rows[0] && cursorOf(rows[0]);
  }

  async function areFew(turns: Sql): Promise<boolean> {
    const { rows } = await sql`SELECT 1 FROM ${turns} AS few LIMIT 1 OFFSET ${SORTED_MAX}`.execute(db);
    return rows.length === 0;
  }

  async function findFew(): Promise<Sql | undefined> {
    for (const turns of await candidatesFor(db, project, filters)) if (await areFew(turns)) return turns;
    return undefined;
  }

  async function findPage(): Promise<Found[]> {
    const range = otherRangeOf(project, filters, sort.by);
    if (range !== undefined && (await areFew(range))) return findIn(range, limit + 1);
    const page: Found[] = [];
    let size = FIRST_WALK;
    for (let cursor = after; ;) {
      page.push(...(await findIn(walkOf(cursor, size), limit + 1 - page.length)));
      if (page.length > limit) return page;
      const few = size === FIRST_WALK ? await findFew() : undefined;
      if (few !== undefined) return findIn(few, limit + 1);
      cursor = await endOf(cursor, size);
      if (cursor === undefined) return page;
      size = WALK;
      await nextTurn();
    }
  }

  const found = await findPage();
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows: await withConversations(db, project, rows), next: last === undefined ? null : cursorOf(last) };
}

const inOrder = (columns: string, descending: boolean) =>
  descending ? columns.replaceAll(/\w+/g, "$& DESC") : columns;

type CursorColumns = { key: string; turn: number; started: string; answer: string };

type Found = CursorColumns & {
  provenance: (typeof SAMPLE_PROVENANCES)[number] | null;
  cut_short: boolean | 0 | 1 | null;
  tool_failed: boolean | 0 | 1 | null;
  called: string[] | string | null;
  user_text: string | null;
  agent_text: string | null;
};

const COLUMNS = sql.raw(
  "key, turn, CAST(turn_ns AS TEXT) AS started, CAST(answer_us AS TEXT) AS answer, provenance, cut_short, tool_failed, called, user_text, agent_text",
);

const cursorOf = ({ key, turn, started: startedNs, answer: answerUs }: CursorColumns): TurnCursor => ({
  answerUs,
  startedNs,
  key,
  turn,
});

/**
 * Returns the conditions on columns of the indexes that have the order of a page. With the sign, the planner does not use the range of
 * another column than the one that a page is sorted by, because it would then read and sort the whole range.
 */
function boundsOf(
  project: number,
  { fromNs, toNs, slowerThanMs, interrupted }: TurnFilters,
  by: TurnSort["by"],
): Sql[] {
  const [start, time] = by === "startedAt" ? [sql`turn_ns`, sql`+answer_us`] : [sql`+turn_ns`, sql`answer_us`];
  return [
    sql`project = ${project}`,
    ...(fromNs === undefined ? [] : [sql`${start} >= CAST(${String(fromNs)} AS BIGINT)`]),
    ...(toNs === undefined ? [] : [sql`${start} < CAST(${String(toNs)} AS BIGINT)`]),
    ...(slowerThanMs === undefined ? [] : [sql`${time} > ${Math.round(slowerThanMs * 1_000)}`]),
    ...(interrupted === true ? [sql`cut_short`] : []),
  ];
}

const ownConditions = (db: Db, { interrupted, tool }: TurnFilters): Sql[] => [
  ...(interrupted === false ? [sql`NOT cut_short`] : []),
  ...(tool === undefined ? [] : [indexDialectOf(db).listHas("called", tool)]),
];

const conversationFilters = ({ interrupted, tool, slowerThanMs, fromNs, toNs, ...rest }: TurnFilters) => rest;

/** Only the turns of conversations that still have traces are shown, of those that the filters select. */
function ofConversation(db: Db, project: number, filters: TurnFilters): Sql {
  const own = conversationFilters(filters);
  const where = [...scopeOf(db, own), ...conditionsOf(db, own), ...namedKeys(db, project, own)];
  return sql`EXISTS (
    SELECT 1 FROM conversations
    WHERE conversations.project = turns.project AND conversations.key = turns.key AND conversations.traces > 0
      AND ${where.length === 0 ? sql`1 = 1` : sql.join(where, sql` AND `)})`;
}

/** Returns the turns within the filters' range of the column by which the page is not sorted; undefined without such a range. */
function otherRangeOf(project: number, filters: TurnFilters, by: TurnSort["by"]): Sql | undefined {
  const { fromNs, toNs, slowerThanMs } = filters;
  if (by === "startedAt" ? slowerThanMs === undefined : (fromNs ?? toNs) === undefined) return undefined;
  const bounds = boundsOf(project, filters, by === "startedAt" ? "answerMs" : "startedAt");
  return sql`(SELECT * FROM turns WHERE ${sql.join(bounds, sql` AND `)} LIMIT ${ALL} OFFSET 0)`;
}

/** Returns sets of turns that contain all turns that match. Each set may be much smaller than the project. */
async function candidatesFor(db: Db, project: number, filters: TurnFilters): Promise<Sql[]> {
  const own = conversationFilters(filters);
  const turnsOf = (conversations: Sql) => sql`(
    SELECT t.* FROM ${conversations} AS c ${indexDialectOf(db).lookUp} turns AS t
    ON t.project = ${project} AND t.key = c.key LIMIT ${ALL} OFFSET 0)`;
  const sets: Sql[] = [];
  const keys = sql.join([sql`project = ${project}`, ...namedKeys(db, project, own)], sql` AND `);
  if (own.simulations !== undefined || own.traceIds !== undefined || own.conversations !== undefined)
    sets.push(sql`(SELECT * FROM turns WHERE ${keys} LIMIT ${ALL} OFFSET 0)`);
  const scope = scopeOf(db, own);
  if (scope.length > 0)
    sets.push(
      turnsOf(sql`(SELECT key FROM conversations WHERE project = ${project} AND ${sql.join(scope, sql` AND `)})`),
    );
  const find = indexDialectOf(db).search.candidates(project, { source: own.source, tool: filters.tool });
  const found = await find?.(db);
  if (found !== undefined) sets.push(turnsOf(found));
  return sets;
}

type ConversationColumns = Omit<ListedTurnRow, "row"> & { key: string };

/** Adds what a list shows of the conversations. Leaves out the turns of a conversation that was erased since they were read. */
async function withConversations(db: Db, project: number, found: readonly Found[]): Promise<ListedTurnRow[]> {
  const keys = [...new Set(found.map(({ key }) => key))];
  if (keys.length === 0) return [];
  const { rows } = await sql<ConversationColumns>`
    SELECT key, trace_id AS "traceId", source, agent, agent_version AS "agentVersion", channel
    FROM conversations WHERE project = ${project} AND traces > 0 AND key IN (${sql.join(keys)})`.execute(db);
  const of = new Map(rows.map(({ key, ...conversation }) => [key, conversation]));
  return found.flatMap((turn) => {
    const conversation = of.get(turn.key);
    return conversation === undefined ? [] : [{ ...conversation, row: rowOf(turn) }];
  });
}

const booleanOf = (value: boolean | 0 | 1 | null) => (value === null ? null : Boolean(value));

const rowOf = (found: Found): ListedTurnRow["row"] => ({
  index: found.turn,
  startedNs: BigInt(found.started),
  userText: found.user_text,
  agentText: found.agent_text,
  answerMs: Number(found.answer) === UNKNOWN_US ? null : Number(found.answer) / 1_000,
  provenance: found.provenance,
  interrupted: booleanOf(found.cut_short),
  tools: listOf(found.called) ?? [],
  toolFailed: booleanOf(found.tool_failed),
});
