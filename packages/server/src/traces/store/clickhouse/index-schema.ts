import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { LACKS_TERMS, SORT_KEY } from "./sort-keys.ts";

/** Processes that start at the same time create the tables one after another. */
const LOCK = sql`SELECT pg_advisory_xact_lock(hashtextextended('svc trace index', 0))`;
const VERSION = 1;

const TABLES = [
  // One row per trace, with sums that a span that comes twice does not change.
  `CREATE TABLE IF NOT EXISTS traces (
    project INTEGER NOT NULL,
    trace_id TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,          -- of its conversation
    former_key TEXT COLLATE "C",            -- before the last spans
    started_ns BIGINT NOT NULL,
    ended_ns BIGINT,
    has_errors BOOLEAN NOT NULL,
    spans INTEGER NOT NULL,                 -- received, with those that came twice
    root_name TEXT COLLATE "C",
    root_start_ns BIGINT,
    root_end_ns BIGINT,
    conversation TEXT COLLATE "C",
    conversation_rank INTEGER,
    agent TEXT COLLATE "C",
    agent_start_ns BIGINT,
    service TEXT COLLATE "C",
    received_first_ms BIGINT NOT NULL,
    received_last_ms BIGINT NOT NULL,
    PRIMARY KEY (project, trace_id)
  )`,
  `CREATE INDEX IF NOT EXISTS traces_by_key ON traces (project, key)`,
  `CREATE INDEX IF NOT EXISTS traces_by_arrival ON traces (received_first_ms)`,

  // One row per conversation: the sums of its traces, its last reading, and when it is read next. One without traces has moved.
  `CREATE TABLE IF NOT EXISTS conversations (
    project INTEGER NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    change BIGINT NOT NULL,                 -- the number of its last spans
    traces INTEGER NOT NULL,
    trace_id TEXT COLLATE "C",              -- the earliest trace
    trace_ids TEXT[],                       -- earliest first
    conversation TEXT COLLATE "C",
    source TEXT COLLATE "C",
    agent TEXT COLLATE "C",
    service TEXT COLLATE "C",
    root_name TEXT COLLATE "C",
    root_end_ns BIGINT,
    has_ended BOOLEAN,                      -- any of its root spans has
    has_wholly_ended BOOLEAN,               -- a root span of the whole conversation has
    started_ns BIGINT,
    ended_ns BIGINT,
    has_errors BOOLEAN,
    received_spans INTEGER,
    received_first_ms BIGINT,
    received_last_ms BIGINT,
    reading BIGINT,                         -- the number of the last reading, in the order of their commits
    read_change BIGINT,                     -- the reading covers its spans up to this change
    read_received_spans INTEGER,
    read_ended BOOLEAN,
    read_wholly_ended BOOLEAN,
    mapping_version INTEGER,
    spans INTEGER,
    errors INTEGER,
    turns INTEGER,
    tool_calls INTEGER,
    latency_n INTEGER,
    latency_mean DOUBLE PRECISION,
    latency_max DOUBLE PRECISION,
    latency_p50 DOUBLE PRECISION,
    latency_p95 DOUBLE PRECISION,
    text_response_n INTEGER,
    text_response_mean DOUBLE PRECISION,
    text_response_max DOUBLE PRECISION,
    text_response_p50 DOUBLE PRECISION,
    text_response_p95 DOUBLE PRECISION,
    interruptions INTEGER,
    quality TEXT[],
    tools TEXT[],
    preview TEXT COLLATE "C",
    transcript TEXT COLLATE "C",
    names TEXT COLLATE "C",
    reread BOOLEAN NOT NULL DEFAULT false,  -- to be read again because the mapping has changed
    due_ms BIGINT,                          -- NULL while nothing is to be read
    watched_until_ms BIGINT NOT NULL DEFAULT 0,
    lease BIGINT,                           -- of the process that reads it
    leased_until_ms BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (project, key)
  )`,
  // The change that the terms cover: conversations of older versions have none. It is added only once, because that locks the table.
  `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'conversations'::regclass AND attname = 'terms_change')
    THEN ALTER TABLE conversations ADD COLUMN terms_change BIGINT; END IF;
  END $$`,
  ...Object.entries(SORT_KEY).map(
    ([name, key]) =>
      `CREATE INDEX IF NOT EXISTS conversations_by_${name.toLowerCase()} ON conversations (project, (${key}), trace_id)`,
  ),
  `CREATE INDEX IF NOT EXISTS conversations_by_agent ON conversations (project, agent, started_ns, trace_id)`,
  `CREATE INDEX IF NOT EXISTS conversations_without_terms ON conversations (project) WHERE ${LACKS_TERMS}`,
  `CREATE INDEX IF NOT EXISTS conversations_by_reading ON conversations (project, reading)`,
  `CREATE INDEX IF NOT EXISTS conversations_due ON conversations (reread, due_ms) WHERE due_ms IS NOT NULL`,

  // The terms of read conversations, in a table that other changes of a conversation do not touch.
  `CREATE TABLE IF NOT EXISTS conversation_terms (
    project INTEGER NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    terms INTEGER[] NOT NULL,
    PRIMARY KEY (project, key)
  )`,
  `CREATE INDEX IF NOT EXISTS conversation_terms_by_term ON conversation_terms USING gin (terms)`,

  `CREATE SEQUENCE IF NOT EXISTS trace_leases`,
  `CREATE TABLE IF NOT EXISTS trace_index (version INTEGER NOT NULL, reading BIGINT NOT NULL)`,
  `INSERT INTO trace_index SELECT ${VERSION}, 0 WHERE NOT EXISTS (SELECT 1 FROM trace_index)`,
];

/** Creates the tables of the trace store that PostgreSQL lacks; refuses those of a newer version. */
export const prepareIndex = (db: Db): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await LOCK.execute(tx);
    for (const statement of TABLES) await sql.raw(statement).execute(tx);
    const { rows } = await sql<{ version: number }>`SELECT version FROM trace_index`.execute(tx);
    const { version } = rows[0]!;
    if (version > VERSION)
      throw new Error(`A newer version wrote the trace store's tables (format ${version}). Start that version.`);
  });
