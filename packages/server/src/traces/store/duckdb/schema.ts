import { type DatabaseConnection, inTransaction, rowsOf } from "./database.ts";

const SCHEMA_VERSION = 3;

const TABLES = `
CREATE TABLE IF NOT EXISTS sample_state (
  schema_version INTEGER NOT NULL,
  reading BIGINT NOT NULL,        -- the samples of every reading up to this one are in the tables, or wait in the index
  holds_erased BOOLEAN NOT NULL   -- whether deleted rows may still be in the file, which was not rewritten since
);
INSERT INTO sample_state SELECT ${SCHEMA_VERSION}, 0, false WHERE NOT EXISTS (SELECT 1 FROM sample_state);

-- The samples of each measure of a reading.
CREATE TABLE IF NOT EXISTS measures (
  reading BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  trace_id VARCHAR NOT NULL,      -- the earliest trace of the conversation
  source VARCHAR NOT NULL,
  agent VARCHAR,
  agent_version VARCHAR,
  channel VARCHAR,
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
  trace_id VARCHAR NOT NULL,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  agent_version VARCHAR,
  channel VARCHAR,
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

-- The series of the pools: one measure of one version of an agent over one channel.
CREATE TABLE IF NOT EXISTS pool_series (
  series BIGINT NOT NULL,
  project UINTEGER NOT NULL,
  source VARCHAR NOT NULL,
  agent VARCHAR,
  agent_version VARCHAR,
  channel VARCHAR,
  measure VARCHAR NOT NULL
);

-- Quarters whose samples have changed since their pools were made; a quarter can have several rows.
CREATE TABLE IF NOT EXISTS outdated_quarters (
  project UINTEGER NOT NULL,
  quarter INTEGER NOT NULL,
  changed_ms BIGINT NOT NULL
);`;

/** Returns the number of the last derived conversation whose samples were stored. */
export async function prepareTables(write: DatabaseConnection): Promise<number> {
  await inTransaction(write, async () => {
    for (const statement of TABLES.split(";\n").filter((text) => text.trim() !== "")) await write.run(statement);
  });
  const [state] = await rowsOf<{ schema_version: number; reading: bigint }>(
    write,
    "SELECT schema_version, reading FROM sample_state",
  );
  const { schema_version: version, reading } = state!;
  if (version > SCHEMA_VERSION)
    throw new Error(`The trace store has format ${version}; start the version of the service that wrote it.`);
  return Number(reading);
}
