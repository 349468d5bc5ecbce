import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { CONVERSATION_ROOTS } from "../../conversation/identity-keys.ts";
import { greatest, indexDialectOf, least } from "./dialect.ts";
import { dueMsOf } from "./due.ts";
import type { TraceSums } from "./trace-sums.ts";

/** The key is the conversation's name in its spans, or, without a name, the id of its trace. */
export type ConversationKey = { project: number; key: string };

export type TraceKey = { project: number; traceId: string };

/**
 * Returns the condition that the new values replace the stored values, because the new values sort before the stored ones. The column
 * `mark` is NULL if there are no values.
 */
const earlier = (valuesOf: (table: string) => string, mark: string) =>
  `excluded.${mark} IS NOT NULL AND (traces.${mark} IS NULL OR (${valuesOf("excluded")}) < (${valuesOf("traces")}))`;
const either = (condition: string, column: string) =>
  `${column} = CASE WHEN ${condition} THEN excluded.${column} ELSE traces.${column} END`;

/** A root without an end comes after a root with an end. */
const root = (of: string) =>
  `${of}.root_start_ns, ${of}.root_name, coalesce(${of}.root_end_ns, ${(2n ** 63n - 1n).toString()})`;
const rootIsEarlier = earlier(root, "root_start_ns");
const conversationIsStronger = earlier((of) => `${of}.conversation_rank, ${of}.conversation`, "conversation");
const agentIsEarlier = earlier((of) => `${of}.agent_start_ns, ${of}.agent`, "agent");
const merged = (merge: typeof least, column: string) =>
  `${column} = ${merge(`traces.${column}`, `excluded.${column}`)}`;

const MERGE = sql.raw(`
  former_key = traces.key,
  key = CASE WHEN ${conversationIsStronger} THEN excluded.key ELSE traces.key END,
  ${["started_ns", "service", "received_first_ms"].map((column) => merged(least, column)).join(", ")},
  ${["ended_ns", "received_last_ms"].map((column) => merged(greatest, column)).join(", ")},
  has_errors = traces.has_errors OR excluded.has_errors,
  spans = traces.spans + excluded.spans,
  errors = traces.errors + excluded.errors,
  ${["root_name", "root_start_ns", "root_end_ns"].map((column) => either(rootIsEarlier, column)).join(", ")},
  ${["conversation", "conversation_rank"].map((column) => either(conversationIsStronger, column)).join(", ")},
  ${["agent", "agent_start_ns"].map((column) => either(agentIsEarlier, column)).join(", ")}`);

/**
 * Adds the sums of stored spans to the traces and their conversations. The conversations then wait to be derived. All code locks
 * rows in the same order, so that there is no deadlock: first traces and then conversations, both in the order of their keys.
 */
export async function addSums(tx: Db, sums: readonly TraceSums[]): Promise<void> {
  const held = await mergeTraces(tx, sums);
  const moved = held.filter(({ key, former }) => former !== null && former !== key);
  await changeConversations(tx, [...held, ...moved.map(({ project, former }) => ({ project, key: former! }))]);
  if (moved.length > 0) await takeTexts(tx, moved);
}

/** `former` is the key of the trace's conversation before its last spans; null for a new trace. */
type HeldTrace = ConversationKey & { former: string | null };

const SUMS = {
  project: "integer",
  trace_id: "text",
  started_ns: "bigint",
  ended_ns: "bigint",
  has_errors: "boolean",
  spans: "integer",
  errors: "integer",
  root_name: "text",
  root_start_ns: "bigint",
  root_end_ns: "bigint",
  conversation: "text",
  conversation_rank: "integer",
  agent: "text",
  agent_start_ns: "bigint",
  service: "text",
  received_first_ms: "bigint",
  received_last_ms: "bigint",
} as const;
const SUM_NAMES = sql.raw(Object.keys(SUMS).join(", "));

export async function mergeTraces(tx: Db, sums: readonly TraceSums[]): Promise<HeldTrace[]> {
  const { rows } = await sql<HeldTrace>`
    INSERT INTO traces (key, ${SUM_NAMES})
    SELECT coalesce(conversation, trace_id), ${SUM_NAMES} FROM ${indexDialectOf(tx).table("s", SUMS, sums.map(rowOf))}
    WHERE true ORDER BY project, trace_id
    ON CONFLICT (project, trace_id) DO UPDATE SET ${MERGE}
    RETURNING project, key, former_key AS former`.execute(tx);
  return rows;
}

const TEXTS =
  "agent_version channel preview preview_role reported_successful reported_ending reported_summary transcript names interruptions quality tools".split(
    " ",
  );

/**
 * If traces moved to a new conversation, copies the texts, the version and the channel of their old conversation to the new
 * conversation. A search then finds the new conversation before it is derived.
 */
const takeTexts = (tx: Db, moved: readonly HeldTrace[]) =>
  sql`
    UPDATE conversations AS c SET ${sql.raw(TEXTS.map((column) => `${column} = f.${column}`).join(", "))}
    FROM ${indexDialectOf(tx).table("m", { project: "integer", key: "text", former: "text" }, moved)}
    JOIN conversations AS f ON f.project = m.project AND f.key = m.former
    WHERE c.project = m.project AND c.key = m.key AND c.reading IS NULL`.execute(tx);

const rowOf = (sums: TraceSums) => ({
  project: sums.project,
  trace_id: sums.traceId,
  started_ns: String(sums.startedNs),
  ended_ns: textOf(sums.endedNs),
  has_errors: sums.errors > 0,
  spans: sums.spans,
  errors: sums.errors,
  root_name: sums.rootName,
  root_start_ns: textOf(sums.rootStartNs),
  root_end_ns: textOf(sums.rootEndNs),
  conversation: sums.conversation,
  conversation_rank: sums.conversationRank,
  agent: sums.agent,
  agent_start_ns: textOf(sums.agentStartNs),
  service: sums.service,
  received_first_ms: sums.receivedFirstMs,
  received_last_ms: sums.receivedLastMs,
});

const textOf = (value: bigint | null) => (value === null ? null : String(value));

export const distinct = (keys: readonly ConversationKey[]): ConversationKey[] => [
  ...new Map(keys.map(({ project, key }) => [`${project} ${key}`, { project, key }])).values(),
];

const KEYS = { project: "integer", key: "text" } as const;

export const keysTable = (db: Db, keys: readonly ConversationKey[]): RawBuilder<unknown> =>
  indexDialectOf(db).table("k", KEYS, distinct(keys));

export const isOneOf = (db: Db, keys: readonly ConversationKey[]): RawBuilder<boolean> =>
  sql`(project, key) IN (SELECT project, key FROM ${keysTable(db, keys)})`;

export function isOneOfTraces(db: Db, traces: readonly TraceKey[]): RawBuilder<boolean> {
  const rows = traces.map(({ project, traceId }) => ({ project, trace_id: traceId }));
  const table = indexDialectOf(db).table("k", { project: "integer", trace_id: "text" }, rows);
  return sql`(project, trace_id) IN (SELECT project, trace_id FROM ${table})`;
}

const ROOTS = CONVERSATION_ROOTS.map((name) => `'${name}'`).join(", ");
const IS_WHOLE = `root_name IN (${ROOTS})`;

function conversationSumsOf(db: Db): Record<string, string> {
  const { any, first, traceIds } = indexDialectOf(db);
  const ofRoot = (column: string) =>
    first(column, `NOT ${IS_WHOLE}, root_start_ns, root_name`, "root_start_ns IS NOT NULL");
  return {
    trace_id: first("trace_id", "started_ns, trace_id", "true"),
    trace_ids: traceIds(LIMITS.traceIdsShown),
    conversation: "max(conversation)",
    source: "CASE WHEN substr(coalesce(max(conversation), ''), 1, 4) = 'sim_' THEN 'simulation' ELSE 'production' END",
    agent: first("agent", "agent_start_ns, agent", "agent IS NOT NULL"),
    service: "min(service)",
    root_name: ofRoot("root_name"),
    root_end_ns: ofRoot("root_end_ns"),
    has_ended: any("root_end_ns IS NOT NULL"),
    has_wholly_ended: any(`root_end_ns IS NOT NULL AND ${IS_WHOLE}`),
    started_ns: "min(started_ns)",
    ended_ns: "max(ended_ns)",
    has_errors: any("has_errors"),
    received_spans: "sum(spans)",
    received_first_ms: "min(received_first_ms)",
    received_last_ms: "max(received_last_ms)",
  };
}

/** Computes the sums of conversations again from their traces, and marks the conversations as changed. */
export async function changeConversations(tx: Db, changed: readonly ConversationKey[]): Promise<void> {
  if (changed.length === 0) return;
  // This statement locks the rows, so that processes change a conversation one after another. The next statement then sees all traces.
  await sql`
    INSERT INTO conversations (project, key, change, traces)
    SELECT project, key, 1, 0 FROM ${keysTable(tx, changed)} WHERE true ORDER BY project, key
    ON CONFLICT (project, key) DO UPDATE SET change = conversations.change + 1`.execute(tx);
  await sumUp(tx, changed, sql`due_ms = ${dueMsOf(tx, { sums: "g" })},`);
}

export async function sumUp(
  tx: Db,
  keys: readonly ConversationKey[],
  beside: RawBuilder<unknown> = sql``,
): Promise<void> {
  const sums = conversationSumsOf(tx);
  const values = Object.entries(sums).map(([column, value]) => `${value} AS ${column}`);
  const set = Object.keys(sums).map((column) => `${column} = g.${column}`);
  const table = keysTable(tx, keys);
  await sql`
    UPDATE conversations SET traces = coalesce(g.traces, 0), ${beside} ${sql.raw(set.join(", "))}
    FROM ${table} LEFT JOIN (
      SELECT traces.project, traces.key, count(*) AS traces, ${sql.raw(values.join(", "))}
      FROM ${table} ${indexDialectOf(tx).lookUp} traces ON traces.project = k.project AND traces.key = k.key
      GROUP BY traces.project, traces.key) AS g ON g.project = k.project AND g.key = k.key
    WHERE conversations.project = k.project AND conversations.key = k.key`.execute(tx);
}
