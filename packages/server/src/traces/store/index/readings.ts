import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import type { StoredReading } from "../reading.ts";
import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import { indexDialectOf } from "./dialect.ts";
import { dueMsOf } from "./due.ts";
import type { LeasedConversation } from "./due-conversations.ts";
import type { SearchedConversation } from "./search-words.ts";
import { inTransaction } from "./transaction.ts";
import { removeTurns, storeTurns } from "./turns.ts";
import { type ConversationKey, isOneOf } from "./writes.ts";

/** If all traces of the conversation have moved to other conversations, the derived conversation is empty. */
export type ReadConversation = {
  conversation: LeasedConversation;
  reading: StoredReading;
  spans: number;
  errors: number;
};

/**
 * `former` is the number of what was derived before and is replaced. `traceId` is the conversation's earliest trace. `isCurrent` is
 * true if the derived conversation includes all its spans that are stored so far.
 */
export type NumberedReading = ReadConversation & {
  number: number;
  former: number | null;
  traceId: string;
  isCurrent: boolean;
};

export type StoreBeside = (tx: Db, stored: readonly NumberedReading[]) => Promise<void>;

const VALUE_TYPES = {
  agent_version: "text",
  channel: "text",
  spans: "integer",
  errors: "integer",
  turns: "integer",
  tool_calls: "integer",
  latency_n: "integer",
  latency_mean: "double precision",
  latency_max: "double precision",
  latency_p50: "double precision",
  latency_p95: "double precision",
  text_response_n: "integer",
  text_response_mean: "double precision",
  text_response_max: "double precision",
  text_response_p50: "double precision",
  text_response_p95: "double precision",
  interruptions: "integer",
  quality: "text[]",
  tools: "text[]",
  preview: "text",
  preview_role: "text",
  reported_successful: "boolean",
  reported_ending: "text",
  reported_summary: "text",
  transcript: "text",
  names: "text",
  read_change: "bigint",
  read_received_spans: "integer",
  read_ended: "boolean",
  read_wholly_ended: "boolean",
  terms_change: "bigint",
} as const;
type Values = Record<keyof typeof VALUE_TYPES, unknown>;

const RECORD_TYPES = { project: "integer", key: "text", lease: "bigint", place: "integer", ...VALUE_TYPES } as const;
const VALUES = sql.raw(
  Object.keys(VALUE_TYPES)
    .map((name) => `${name} = r.${name}`)
    .join(", "),
);

/**
 * Stores derived conversations, and removes conversations whose traces have moved. Stores nothing of a conversation whose lease
 * another process has taken over. Each derived conversation gets a number, in the order of the commits, so a client that follows
 * the numbers misses none.
 */
export async function storeReadings(
  db: Db,
  read: readonly ReadConversation[],
  storeBeside: StoreBeside = async () => {},
): Promise<NumberedReading[]> {
  if (read.length === 0) return [];
  const keys = read.map(({ conversation: { project, key } }) => ({ project, key }));
  const records = read.map((one, at) => recordOf(one, at + 1));
  return inTransaction(db, async (tx) => {
    const { table, forUpdate, search } = indexDialectOf(tx);
    const { rows: before } = await sql<ConversationKey & { reading: number | null }>`
      SELECT project, key, reading FROM conversations WHERE ${isOneOf(tx, keys)} ORDER BY project, key ${forUpdate}`.execute(
      tx,
    );
    const { rows: newest } = await sql<{ reading: number }>`
      UPDATE trace_index SET reading = reading + ${read.length} RETURNING reading`.execute(tx);
    const first = newest[0]!.reading - read.length;
    const rows = table(
      "r",
      RECORD_TYPES,
      records.map(({ row }) => row),
    );
    const { rows: after } = await sql<
      ConversationKey & { number: number; trace_id: string | null; is_current: boolean | 0 | 1 }
    >`
      UPDATE conversations SET ${VALUES}, reread = false, leased_until_ms = 0, mapping_version = ${MAPPING_VERSION},
        reading = CAST(${first} AS BIGINT) + r.place,
        due_ms = CASE WHEN conversations.change = r.read_change THEN NULL ELSE ${dueMsOf(tx, { reading: "r" })} END
      FROM ${rows}
      WHERE conversations.project = r.project AND conversations.key = r.key AND conversations.lease = r.lease
      RETURNING conversations.project, conversations.key, conversations.reading AS number, conversations.trace_id,
        conversations.change = conversations.read_change AS is_current`.execute(tx);
    const stored = new Map(after.map((row) => [idOf(row), row]));
    await search.store(
      tx,
      records.flatMap(({ searched }) => (stored.get(idOf(searched))?.is_current ? [searched] : [])),
    );
    await storeTurns(
      tx,
      read.flatMap(({ conversation, reading: { turnRows } }) => {
        const { project, key } = conversation;
        return stored.has(idOf(conversation)) ? [{ project, key, turnRows }] : [];
      }),
    );
    await removeMoved(tx, keys);
    const formerOf = new Map(before.map((row) => [idOf(row), row.reading]));
    const numbered = read.flatMap((one) => {
      const id = idOf(one.conversation);
      const row = stored.get(id);
      if (row === undefined) return [];
      return [
        {
          ...one,
          number: row.number,
          former: formerOf.get(id) ?? null,
          traceId: row.trace_id ?? "",
          isCurrent: Boolean(row.is_current),
        },
      ];
    });
    await storeBeside(tx, numbered);
    return numbered;
  });
}

/** Removes those of the conversations that are up to date and whose traces have all moved to other conversations. */
async function removeMoved(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  const { rows } = await sql<ConversationKey>`
    SELECT project, key FROM conversations WHERE ${isOneOf(tx, keys)} AND traces = 0 AND due_ms IS NULL`.execute(tx);
  if (rows.length === 0) return;
  await indexDialectOf(tx).search.remove(tx, rows);
  await removeTurns(tx, rows);
  await sql`DELETE FROM conversations WHERE ${isOneOf(tx, rows)}`.execute(tx);
}

const idOf = ({ project, key }: ConversationKey) => `${project} ${key}`;

/** `place` is the index of the conversation among those that are stored together. */
function recordOf({ conversation, reading, spans, errors: failedSpans }: ReadConversation, place: number) {
  const { latency, textResponse, preview, reported } = reading;
  const errors = failedSpans + reading.otherErrors;
  const tools = [...new Set(reading.toolUses.flatMap(({ tool }) => tool ?? []))];
  const values: Values = {
    agent_version: reading.agentVersion,
    channel: reading.channel,
    spans,
    errors,
    turns: reading.turns,
    tool_calls: reading.toolCalls,
    latency_n: latency?.n ?? null,
    latency_mean: latency?.mean ?? null,
    latency_max: latency?.max ?? null,
    latency_p50: latency?.p50 ?? null,
    latency_p95: latency?.p95 ?? null,
    text_response_n: textResponse?.n ?? null,
    text_response_mean: textResponse?.mean ?? null,
    text_response_max: textResponse?.max ?? null,
    text_response_p50: textResponse?.p50 ?? null,
    text_response_p95: textResponse?.p95 ?? null,
    interruptions: reading.interruptions,
    quality: reading.qualityTopics,
    tools,
    preview: preview?.text ?? null,
    preview_role: preview?.role ?? null,
    reported_successful: reported?.successful ?? null,
    reported_ending: reported?.ending ?? null,
    reported_summary: reported?.summary ?? null,
    transcript: reading.transcript,
    names: reading.names,
    read_change: conversation.change,
    read_received_spans: conversation.receivedSpans,
    read_ended: conversation.hasEnded,
    read_wholly_ended: conversation.hasWhollyEnded,
    terms_change: conversation.change,
  };
  const { project, key, lease, source, agent, name, rootName } = conversation;
  const searched: SearchedConversation = {
    project,
    key,
    texts: [reading.transcript, reading.names],
    names: [agent, name, rootName],
    source,
    errors,
    interruptions: reading.interruptions,
    slowestMs: latency?.max ?? textResponse?.max ?? null,
    tools,
    quality: reading.qualityTopics,
  };
  return { row: { project, key, lease, place, ...values }, searched };
}
