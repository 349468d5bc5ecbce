import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import type { StoredReading } from "../reading.ts";
import type { ClickHouse } from "./client.ts";
import { DUE_MS } from "./due.ts";
import type { LeasedConversation } from "./due-conversations.ts";
import { type ConversationKey, isOneOf } from "./index-writes.ts";
import { removeTerms, storeTerms } from "./stored-terms.ts";
import { termsOf } from "./terms.ts";
import { inTransaction } from "./transaction.ts";

/** A conversation, its reading and the number of its spans; without a reading when its traces have moved to others. */
export type ReadConversation = {
  conversation: LeasedConversation;
  reading: StoredReading;
  spans: number;
  errors: number;
};

/**
 * Stores readings: samples and tool calls in ClickHouse, then everything else in PostgreSQL. A conversation that another process
 * took over, because this one was slow, keeps that process's reading: its version is higher.
 */
export async function storeReadings(clickHouse: ClickHouse, db: Db, read: readonly ReadConversation[]): Promise<void> {
  if (read.length === 0) return;
  const bytes = Buffer.from(read.map((one) => JSON.stringify(samplesOf(one))).join("\n"));
  await clickHouse.insert({ table: "readings", columns: SAMPLE_COLUMNS, format: "JSONEachRow", bytes });
  const stored = await storeRows(db, read);
  const erased = read.filter(({ conversation }) => !stored.has(conversation.lease));
  await removeErased(clickHouse, db, erased);
}

const SAMPLE_COLUMNS = [
  "project",
  "key",
  "version",
  "source",
  "agent",
  "first_ms",
  "last_ms",
  ...["measure", "at_ms", "value", "provenance", "turn"].map((name) => `samples.${name}`),
  ...["tool", "at_ms", "is_error"].map((name) => `tools.${name}`),
];

function samplesOf({ conversation, reading: { samples, toolUses } }: ReadConversation) {
  const { project, key, lease, source, agent } = conversation;
  const times = [...samples, ...toolUses].map(({ atMs }) => atMs);
  return {
    project,
    key,
    version: lease,
    source: source ?? "production",
    agent,
    first_ms: times.reduce((least, ms) => Math.min(least, ms), Number.MAX_SAFE_INTEGER),
    last_ms: times.reduce((most, ms) => Math.max(most, ms), 0),
    "samples.measure": samples.map(({ measure }) => measure),
    "samples.at_ms": samples.map(({ atMs }) => atMs),
    "samples.value": samples.map(({ value }) => value),
    "samples.provenance": samples.map(({ provenance }) => provenance),
    "samples.turn": samples.map(({ turn }) => turn),
    "tools.tool": toolUses.map(({ tool }) => tool),
    "tools.at_ms": toolUses.map(({ atMs }) => atMs),
    "tools.is_error": toolUses.map(({ isError }) => (isError === null ? null : Number(isError))),
  };
}

const VALUE_TYPES = {
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
  transcript: "text",
  names: "text",
  read_change: "bigint",
  read_received_spans: "integer",
  read_ended: "boolean",
  read_wholly_ended: "boolean",
  terms_change: "bigint",
} as const;
type Values = Record<keyof typeof VALUE_TYPES, unknown>;

const typed = (types: Record<string, string>) =>
  Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ");
const RECORD_TYPES = { project: "integer", key: "text", lease: "bigint", terms: "integer[]", ...VALUE_TYPES };
const RECORD = sql.raw(typed(RECORD_TYPES));
const VALUES = sql.raw(
  Object.keys(VALUE_TYPES)
    .map((name) => `${name} = r.${name}`)
    .join(", "),
);

/**
 * Stores the rows of readings and removes conversations whose traces have moved; returns the leases of those that were still this
 * process's. Readings are numbered in the order of their commits, so that whoever follows them misses none.
 */
async function storeRows(db: Db, read: readonly ReadConversation[]): Promise<Set<number>> {
  const keys = read.map(({ conversation: { project, key } }) => ({ project, key }));
  const records = JSON.stringify(read.map(recordOf));
  return inTransaction(db, async (tx) => {
    await sql`SELECT 1 FROM conversations WHERE ${isOneOf("conversations", keys)} ORDER BY project, key FOR UPDATE`.execute(
      tx,
    );
    const { rows: newest } = await sql<{ reading: number }>`
      UPDATE trace_index SET reading = reading + ${read.length} RETURNING reading`.execute(tx);
    const { rows } = await sql<{ lease: number }>`
      WITH stored AS (
        UPDATE conversations c SET ${VALUES}, reread = false, leased_until_ms = 0, mapping_version = ${MAPPING_VERSION},
          reading = ${newest[0]!.reading - read.length} + r.place,
          due_ms = CASE WHEN c.change = r.read_change THEN NULL ELSE c.due_ms END
        FROM (SELECT * FROM ROWS FROM (json_to_recordset(${records}::json) AS (${RECORD})) WITH ORDINALITY
          AS r(${sql.raw([...Object.keys(RECORD_TYPES), "place"].join(", "))})) r
        WHERE c.project = r.project AND c.key = r.key COLLATE "C" AND c.lease = r.lease
        RETURNING c.project, c.key, c.lease, r.terms, c.change = r.read_change AS is_current
      ), indexed AS (
        ${storeTerms(sql`SELECT project, key, terms FROM stored WHERE is_current`)})
      SELECT lease FROM stored`.execute(tx);
    // The reading changes what is due next among those with further spans.
    await sql`UPDATE conversations SET due_ms = ${DUE_MS} WHERE ${isOneOf("conversations", keys)} AND due_ms IS NOT NULL`.execute(
      tx,
    );
    const { rows: gone } = await sql<ConversationKey>`
      DELETE FROM conversations WHERE ${isOneOf("conversations", keys)} AND traces = 0 AND due_ms IS NULL
      RETURNING project, key`.execute(tx);
    await removeTerms(tx, gone);
    return new Set(rows.map(({ lease }) => lease));
  });
}

function recordOf({ conversation, reading, spans, errors }: ReadConversation) {
  const { latency, textResponse } = reading;
  const tools = [...new Set(reading.toolUses.flatMap(({ tool }) => tool ?? []))];
  const values: Values = {
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
    preview: reading.preview?.toWellFormed() ?? null,
    transcript: reading.transcript,
    names: reading.names,
    read_change: conversation.change,
    read_received_spans: conversation.receivedSpans,
    read_ended: conversation.hasEnded,
    read_wholly_ended: conversation.hasWhollyEnded,
    terms_change: conversation.change,
  };
  const { project, key, lease, source, agent, name, rootName } = conversation;
  const terms = termsOf({
    project,
    texts: [reading.transcript, reading.names],
    names: [agent, name, rootName],
    source,
    errors,
    interruptions: reading.interruptions,
    slowestMs: latency?.max ?? textResponse?.max ?? null,
    tools,
    quality: reading.qualityTopics,
  });
  return { project, key, lease, terms, ...values };
}

/** Removes the samples of conversations that were erased while they were read. */
async function removeErased(clickHouse: ClickHouse, db: Db, read: readonly ReadConversation[]): Promise<void> {
  for (const { conversation } of read) {
    const { project, key, lease } = conversation;
    const { rows } = await sql`SELECT 1 FROM conversations WHERE project = ${project} AND key = ${key}`.execute(db);
    if (rows.length > 0) continue;
    await clickHouse.run(
      `ALTER TABLE ${clickHouse.table("readings")} DELETE
       WHERE project = {project: UInt32} AND key = {key: String} AND version = {lease: UInt64}`,
      { project, key, lease },
    );
  }
}
