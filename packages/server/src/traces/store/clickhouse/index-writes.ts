import { sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { CONVERSATION_ROOTS } from "../../identity-keys.ts";
import { deletedAmong } from "./deletion-order.ts";
import { DUE_MS } from "./due.ts";
import { inTransaction } from "./transaction.ts";
import type { TraceSums } from "./trace-sums.ts";

/** A conversation of a project by its key: the name that its spans give it, or the id of its trace. */
export type ConversationKey = { project: number; key: string };

const earlier = (theirs: string, ours: string, ourMark: string) =>
  `(${theirs}) IS NOT NULL AND (${ourMark} IS NULL OR (${theirs}) < (${ours}))`;
const either = (condition: string, column: string) =>
  `${column} = CASE WHEN ${condition} THEN excluded.${column} ELSE traces.${column} END`;

/** An open root comes after one that has ended. */
const root = (of: string) =>
  `${of}.root_start_ns, ${of}.root_name, coalesce(${of}.root_end_ns, ${(2n ** 63n - 1n).toString()})`;
const rootIsEarlier = earlier(root("excluded"), root("traces"), "traces.root_start_ns");
const conversationIsStronger = earlier(
  "excluded.conversation_rank, excluded.conversation",
  "traces.conversation_rank, traces.conversation",
  "traces.conversation",
);
const agentIsEarlier = earlier(
  "excluded.agent_start_ns, excluded.agent",
  "traces.agent_start_ns, traces.agent",
  "traces.agent",
);

const MERGE = sql.raw(`
  former_key = traces.key,
  key = CASE WHEN ${conversationIsStronger} THEN excluded.key ELSE traces.key END,
  started_ns = least(traces.started_ns, excluded.started_ns),
  ended_ns = greatest(traces.ended_ns, excluded.ended_ns),
  has_errors = traces.has_errors OR excluded.has_errors,
  spans = traces.spans + excluded.spans,
  ${["root_name", "root_start_ns", "root_end_ns"].map((column) => either(rootIsEarlier, column)).join(", ")},
  ${["conversation", "conversation_rank"].map((column) => either(conversationIsStronger, column)).join(", ")},
  ${["agent", "agent_start_ns"].map((column) => either(agentIsEarlier, column)).join(", ")},
  service = least(traces.service, excluded.service),
  received_first_ms = least(traces.received_first_ms, excluded.received_first_ms),
  received_last_ms = greatest(traces.received_last_ms, excluded.received_last_ms)`);

/**
 * Adds the sums of stored spans to the traces and their conversations, which then wait to be read. Rows are locked in one order
 * everywhere: traces, then conversations, each by their keys. Returns the sums that it left out, because their conversations
 * are deleted.
 */
export const indexTraces = (db: Db, sums: readonly TraceSums[]): Promise<TraceSums[]> =>
  inTransaction(db, async (tx) => {
    const deleted = await deletedAmong(tx, sums);
    const kept = sums.filter((one) => !deleted.includes(one));
    if (kept.length === 0) return deleted;
    const held = await mergeTraces(tx, kept);
    const moved = held.filter(({ key, former }) => former !== null && former !== key);
    await changeConversations(tx, [...held, ...moved.map(({ project, former }) => ({ project, key: former! }))]);
    if (moved.length > 0) await takeTexts(tx, moved);
    return deleted;
  });

/** The conversation that holds a trace, and the key of the one that held it before. */
type HeldTrace = ConversationKey & { former: string | null };

/** Adds sums to the traces; returns the conversation of each trace. */
export async function mergeTraces(tx: Db, sums: readonly TraceSums[]): Promise<HeldTrace[]> {
  const rows = JSON.stringify(sums.map(rowOf));
  const { rows: held } = await sql<HeldTrace>`
      INSERT INTO traces (project, trace_id, key, started_ns, ended_ns, has_errors, spans, root_name, root_start_ns, root_end_ns,
        conversation, conversation_rank, agent, agent_start_ns, service, received_first_ms, received_last_ms)
      SELECT project, trace_id, coalesce(conversation, trace_id), started_ns, ended_ns, has_errors, spans, root_name,
        root_start_ns, root_end_ns, conversation, conversation_rank, agent, agent_start_ns, service, received_first_ms,
        received_last_ms
      FROM json_to_recordset(${rows}::json) AS s(project integer, trace_id text, started_ns bigint, ended_ns bigint,
        has_errors boolean, spans integer, root_name text, root_start_ns bigint, root_end_ns bigint, conversation text,
        conversation_rank integer, agent text, agent_start_ns bigint, service text, received_first_ms bigint,
        received_last_ms bigint)
      ORDER BY project, trace_id COLLATE "C"
      ON CONFLICT (project, trace_id) DO UPDATE SET ${MERGE}
      RETURNING project, key, former_key AS former`.execute(tx);
  return held;
}

/** Gives new conversations the texts of those from which their traces moved, so that a search finds them before they are read. */
const takeTexts = (tx: Db, moved: readonly HeldTrace[]) =>
  sql`
    UPDATE conversations c SET preview = f.preview, transcript = f.transcript, names = f.names,
      interruptions = f.interruptions, quality = f.quality, tools = f.tools
    FROM json_to_recordset(${JSON.stringify(moved)}::json) AS m(project integer, key text, former text)
    JOIN conversations f ON f.project = m.project AND f.key = m.former COLLATE "C"
    WHERE c.project = m.project AND c.key = m.key COLLATE "C" AND c.reading IS NULL`.execute(tx);

const rowOf = (sums: TraceSums) => ({
  project: sums.project,
  trace_id: sums.traceId,
  started_ns: String(sums.startedNs),
  ended_ns: textOf(sums.endedNs),
  has_errors: sums.hasErrors,
  spans: sums.spans,
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

/** Returns the condition that a row of `of` has one of the keys. */
export const isOneOf = (of: string, keys: readonly ConversationKey[]) =>
  sql<boolean>`(${sql.ref(`${of}.project`)}, ${sql.ref(`${of}.key`)}) IN (
    SELECT project, key FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k(project integer, key text))`;

const ROOTS = CONVERSATION_ROOTS.map((name) => `'${name}'`).join(", ");
const IS_WHOLE = `root_name IN (${ROOTS})`;
const ROOT_ORDER = `ORDER BY NOT ${IS_WHOLE}, root_start_ns, root_name) FILTER (WHERE root_start_ns IS NOT NULL)`;
const SUMS = sql.raw(`
  count(*)::integer AS traces,
  (array_agg(trace_id ORDER BY started_ns, trace_id))[1] AS trace_id,
  (array_agg(trace_id ORDER BY started_ns, trace_id))[1:${LIMITS.traceIdsShown}] AS trace_ids,
  max(conversation) AS conversation,
  CASE WHEN starts_with(coalesce(max(conversation), ''), 'sim_') THEN 'simulation' ELSE 'production' END AS source,
  (array_agg(agent ORDER BY agent_start_ns, agent) FILTER (WHERE agent IS NOT NULL))[1] AS agent,
  min(service) AS service,
  (array_agg(root_name ${ROOT_ORDER})[1] AS root_name,
  (array_agg(root_end_ns ${ROOT_ORDER})[1] AS root_end_ns,
  bool_or(root_end_ns IS NOT NULL) AS has_ended,
  bool_or(root_end_ns IS NOT NULL AND ${IS_WHOLE}) AS has_wholly_ended,
  min(started_ns) AS started_ns,
  max(ended_ns) AS ended_ns,
  bool_or(has_errors) AS has_errors,
  sum(spans)::integer AS received_spans,
  min(received_first_ms) AS received_first_ms,
  max(received_last_ms) AS received_last_ms`);

const SUM_COLUMNS =
  `trace_id trace_ids conversation source agent service root_name root_end_ns has_ended has_wholly_ended
  started_ns ended_ns has_errors received_spans received_first_ms received_last_ms`.split(/\s+/);

/** Makes the sums of conversations again from their traces, and marks the conversations as changed. */
export async function changeConversations(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  if (keys.length === 0) return;
  // The row locks of this statement order the processes; the next statement then sees all traces.
  await sql`
    INSERT INTO conversations (project, key, change, traces)
    SELECT DISTINCT project, key COLLATE "C" AS key, 1, 0
    FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k(project integer, key text) ORDER BY project, key
    ON CONFLICT (project, key) DO UPDATE SET change = conversations.change + 1`.execute(tx);
  await sql`
    UPDATE conversations c SET traces = coalesce(g.traces, 0),
      ${sql.raw(SUM_COLUMNS.map((column) => `${column} = g.${column}`).join(", "))}
    FROM (SELECT DISTINCT project, key FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k(project integer, key text)) k
    LEFT JOIN (SELECT project, key, ${SUMS} FROM traces WHERE ${isOneOf("traces", keys)} GROUP BY project, key) g
      USING (project, key)
    WHERE c.project = k.project AND c.key = k.key`.execute(tx);
  await sql`UPDATE conversations SET due_ms = ${DUE_MS} WHERE ${isOneOf("conversations", keys)}`.execute(tx);
}
