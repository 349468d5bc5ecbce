import { SIGNATURE_WORDS } from "../../search-signature.ts";
import { type DatabaseConnection, inTransaction, rowsOf } from "./database.ts";
import { dayOfTable, DAY_TABLE_PATTERN } from "./day-tables.ts";

const SCHEMA_VERSION = 7;
/** Formats from this version on differ in their readings only, and conversations are read again. */
const OLDEST_VERSION = 2;

const READ_AGAIN = `
DROP TABLE IF EXISTS conversations;
DROP TABLE IF EXISTS measures;
DROP TABLE IF EXISTS tool_calls;
DROP TABLE IF EXISTS pool_series;
DROP TABLE IF EXISTS signatures;
DROP TABLE IF EXISTS quarter_pools;
DROP TABLE IF EXISTS hour_pools;
DROP TABLE IF EXISTS outdated_quarters;
UPDATE traces SET reading = NULL, projected_lsn = 0;
UPDATE ingest_state SET schema_version = ${SCHEMA_VERSION}, holds_erased = true;`;

const STATE = `
CREATE TABLE IF NOT EXISTS ingest_state (
  schema_version INTEGER NOT NULL,
  lsn BIGINT NOT NULL,            -- every journal record up to this one is in the tables
  holds_erased BOOLEAN DEFAULT false -- whether deleted rows may still be in the file, which was not rewritten since
);
INSERT INTO ingest_state (schema_version, lsn) SELECT ${SCHEMA_VERSION}, 0 WHERE NOT EXISTS (SELECT 1 FROM ingest_state);
ALTER TABLE ingest_state ADD COLUMN IF NOT EXISTS holds_erased BOOLEAN DEFAULT true;`;

const TABLES = `
-- One row per (project, trace_id), updated by each commit that adds spans. NULL means not known yet.
CREATE TABLE IF NOT EXISTS traces (
  project UINTEGER NOT NULL,
  trace_id UHUGEINT NOT NULL,
  first_day INTEGER NOT NULL,     -- the day tables that hold its spans, in days since 1970-01-01 UTC
  last_day INTEGER NOT NULL,
  first_lsn BIGINT NOT NULL,      -- its spans came in the records from first_lsn to lsn; day tables are in order of lsn
  lsn BIGINT NOT NULL,
  started_ns BIGINT NOT NULL,
  ended_ns BIGINT,
  spans UINTEGER NOT NULL,
  errors UINTEGER NOT NULL,
  root_name VARCHAR,              -- of the earliest span that has no parent
  root_start_ns BIGINT,
  root_end_ns BIGINT,
  conversation VARCHAR,           -- the value of the strongest key, then the first in text order
  conversation_rank UTINYINT,
  agent VARCHAR,                  -- of the earliest span that names one
  agent_start_ns BIGINT,
  service VARCHAR,
  received_first_ms BIGINT NOT NULL,
  received_last_ms BIGINT NOT NULL,
  source VARCHAR NOT NULL DEFAULT 'production',
  projected_lsn BIGINT NOT NULL DEFAULT 0, -- its reading covers its spans up to this record
  reading BIGINT,
  reread BOOLEAN NOT NULL DEFAULT false -- to be read again because the mapping has changed
);

-- The bodies that repeat stored spans of a trace. Readers use the first body of a span; a deletion erases all.
CREATE TABLE IF NOT EXISTS resent (
  project UINTEGER NOT NULL,
  trace_id UHUGEINT NOT NULL,
  segment BIGINT NOT NULL,
  position UINTEGER NOT NULL,
  day INTEGER NOT NULL
);

-- One reading per conversation. A later reading replaces it and takes a new number: rows are in the order of their
-- numbers, so that DuckDB finds the rows of a number fast. NULL means not known.
CREATE TABLE IF NOT EXISTS conversations (
  reading BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  trace_id UHUGEINT NOT NULL,     -- the earliest trace
  trace_ids UHUGEINT[] NOT NULL,  -- earliest first
  traces INTEGER NOT NULL,
  conversation VARCHAR,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  service VARCHAR,
  root_name VARCHAR,
  root_end_ns BIGINT,
  started_ns BIGINT NOT NULL,
  ended_ns BIGINT,
  spans INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  received_last_ms BIGINT NOT NULL,
  mapping_version UINTEGER NOT NULL,
  turns UINTEGER,
  tool_calls UINTEGER,
  latency_n UINTEGER,             -- response latency, in milliseconds
  latency_mean DOUBLE,
  latency_max DOUBLE,
  latency_p50 DOUBLE,
  latency_p95 DOUBLE,
  text_response_n UINTEGER,       -- text response time, in milliseconds
  text_response_mean DOUBLE,
  text_response_max DOUBLE,
  text_response_p50 DOUBLE,
  text_response_p95 DOUBLE,
  interruptions UINTEGER,         -- times that the user cut the agent short
  quality VARCHAR,                -- topics of the quality notes, separated by spaces
  preview VARCHAR,
  transcript VARCHAR,
  names VARCHAR                   -- other texts that a search finds, in the form of \`searchText\`
);

-- The bits of a reading's texts, by which a search leaves out most conversations without their texts.
CREATE TABLE IF NOT EXISTS signatures (
  reading BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  ${Array.from({ length: SIGNATURE_WORDS }, (_, word) => `bits_${word} UBIGINT NOT NULL`).join(", ")}
);

-- The samples of each measure of a reading.
CREATE TABLE IF NOT EXISTS measures (
  reading BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  measure VARCHAR NOT NULL,
  at_ms BIGINT NOT NULL,
  value DOUBLE NOT NULL,
  provenance VARCHAR NOT NULL,
  turn UINTEGER
);

-- The tool calls of a reading. An outcome is NULL when it is unknown.
CREATE TABLE IF NOT EXISTS tool_calls (
  reading BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  tool VARCHAR,
  at_ms BIGINT NOT NULL,
  is_error BOOLEAN
);

-- The samples of each series in each quarter of an hour, made from the table \`measures\`, and those of each whole hour, made
-- from its quarters.
${["quarter_pools", "hour_pools"]
  .map(
    (table) => `CREATE TABLE IF NOT EXISTS ${table} (
  project UINTEGER NOT NULL,
  series BIGINT NOT NULL,
  quarter INTEGER NOT NULL,       -- the first, in quarters of an hour since 1970-01-01 UTC
  count BIGINT NOT NULL,          -- of the samples
  total DOUBLE NOT NULL,
  provenances UTINYINT NOT NULL,  -- one bit each, in the order of \`SAMPLE_PROVENANCES\`
  samples DOUBLE[] NOT NULL       -- in ascending order
);`,
  )
  .join("\n")}

-- The series of the pools: one measure of one agent.
CREATE TABLE IF NOT EXISTS pool_series (
  series BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  measure VARCHAR NOT NULL
);

-- Quarters whose samples have changed since their pools were made; a quarter can have several rows.
CREATE TABLE IF NOT EXISTS outdated_quarters (
  project UINTEGER NOT NULL,
  quarter INTEGER NOT NULL,
  changed_ms BIGINT NOT NULL
);`;

/** Creates missing tables; returns the number of the last loaded record and the days that have a table. */
export async function prepareTables(write: DatabaseConnection): Promise<{ loadedLsn: number; days: Set<number> }> {
  const version = await storedVersion(write);
  if (version < OLDEST_VERSION || version > SCHEMA_VERSION) {
    throw new Error(`The trace store has format ${version}; start the version of the service that wrote it.`);
  }
  await inTransaction(write, async () => {
    if (version < SCHEMA_VERSION) await runAll(write, READ_AGAIN);
    await runAll(write, TABLES);
  });
  const [state] = await rowsOf<{ lsn: bigint }>(write, "SELECT lsn FROM ingest_state");
  const tables = await rowsOf<{ table_name: string }>(
    write,
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'analytics' AND table_name LIKE '${DAY_TABLE_PATTERN}'`,
  );
  return { loadedLsn: Number(state!.lsn), days: new Set(tables.map((table) => dayOfTable(table.table_name))) };
}

async function storedVersion(write: DatabaseConnection): Promise<number> {
  await runAll(write, STATE);
  const [state] = await rowsOf<{ schema_version: number }>(write, "SELECT schema_version FROM ingest_state");
  return state!.schema_version;
}

async function runAll(write: DatabaseConnection, statements: string): Promise<void> {
  for (const statement of statements.split(";\n").filter((text) => text.trim() !== "")) await write.run(statement);
}
