import { type ClickHouse } from "./client.ts";

/** Number of the latest INSERTs whose tokens ClickHouse stores. It is enough, because an INSERT is repeated within seconds. */
const DEDUPLICATION = "non_replicated_deduplication_window = 10000";
/** Rows of a granule. A read decompresses whole granules. Granules are small, because a conversation has few spans of about 2 KB each. */
const GRANULE_ROWS = 128;
/** The service answers with 200 only when the data is on disk. */
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1";

/**
 * Of several copies of a span, the first copy counts. Of several rows with a conversation's samples, the last row
 * counts. ClickHouse removes the other rows when it merges parts. Until then, queries ignore them.
 */
export async function prepareClickHouse({ table, run }: ClickHouse): Promise<void> {
  await run(`CREATE TABLE IF NOT EXISTS ${table("spans")} (
    project UInt32,
    trace_id UInt128,
    span_id UInt64,
    parent_span_id UInt64,
    start_ns Int64 CODEC(Delta, ZSTD(1)),
    end_ns Int64 CODEC(Delta, ZSTD(1)),
    received_us Int64 CODEC(Delta, ZSTD(1)),
    kind UInt8,
    status UInt8,
    conversation_rank UInt8,
    name LowCardinality(String),
    conversation String CODEC(ZSTD(1)),
    agent LowCardinality(String),
    service LowCardinality(String),
    status_message String CODEC(ZSTD(1)),
    attributes String CODEC(ZSTD(1)),
    events String CODEC(ZSTD(1)),
    links String CODEC(ZSTD(1)),
    resource LowCardinality(String),
    scope LowCardinality(String),
    version Int64 MATERIALIZED -received_us
  ) ENGINE = ReplacingMergeTree(version)
  PARTITION BY toYYYYMMDD(fromUnixTimestamp64Micro(received_us, 'UTC'))
  ORDER BY (project, trace_id, span_id)
  SETTINGS index_granularity = ${GRANULE_ROWS}, ${DEDUPLICATION}, ${DURABLE}`);
  await run(`CREATE TABLE IF NOT EXISTS ${table("readings")} (
    project UInt32,
    key String,
    version UInt64,
    source LowCardinality(String),
    agent LowCardinality(Nullable(String)),
    agent_version LowCardinality(Nullable(String)),
    channel LowCardinality(Nullable(String)),
    first_ms Int64,
    last_ms Int64,
    samples Nested(
      measure LowCardinality(String), at_ms Int64, value Float64, provenance LowCardinality(String), turn Nullable(UInt32)
    ),
    tools Nested(tool Nullable(String), at_ms Int64, is_error Nullable(UInt8))
  ) ENGINE = ReplacingMergeTree(version)
  ORDER BY (project, key)
  SETTINGS index_granularity = ${GRANULE_ROWS}, ${DEDUPLICATION}, ${DURABLE}`);
  // Tables of earlier versions do not have these columns.
  for (const [column, before] of [
    ["agent_version", "agent"],
    ["channel", "agent_version"],
  ])
    await run(
      `ALTER TABLE ${table("readings")} ADD COLUMN IF NOT EXISTS ${column} LowCardinality(Nullable(String)) AFTER ${before}`,
    );
}
