import { sql } from "kysely";
import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { QUARTER_COUNTS } from "./quarter-counts.ts";
import { SEARCH_TABLE, TRIGRAMS_TABLE } from "./search-trigrams.ts";
import { LACKS_TERMS } from "./search-words.ts";
import { sortKeysOf } from "./sort-keys.ts";
import { TURN_INDEXES, turnsTableOf } from "./turns.ts";

/** An index of an earlier format is built again on SQLite, and extended in place on PostgreSQL. */
const VERSIONS = { sqlite: 6, postgres: 1 };

/** Thrown if the tables of an index in a data folder have an earlier format. */
export class FormerIndex extends Error {}

/** The tables that both engines have, in PostgreSQL's types. Long texts come last, because SQLite reads a row from its start. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS traces (
    project INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    key TEXT NOT NULL,                      -- of its conversation
    former_key TEXT,                        -- before the last spans
    started_ns BIGINT NOT NULL,
    ended_ns BIGINT,
    has_errors BOOLEAN NOT NULL,
    spans INTEGER NOT NULL,                 -- received, with those that came twice
    errors INTEGER NOT NULL DEFAULT 0,      -- of these
    root_name TEXT,
    root_start_ns BIGINT,
    root_end_ns BIGINT,
    conversation TEXT,
    conversation_rank INTEGER,
    agent TEXT,
    agent_start_ns BIGINT,
    service TEXT,
    received_first_ms BIGINT NOT NULL,
    received_last_ms BIGINT NOT NULL,
    PRIMARY KEY (project, trace_id)
  )`,
  `CREATE INDEX IF NOT EXISTS traces_by_key ON traces (project, key)`,
  `CREATE INDEX IF NOT EXISTS traces_by_arrival ON traces (received_first_ms)`,
  `CREATE INDEX IF NOT EXISTS traces_of_project_by_arrival ON traces (project, received_first_ms)`,

  // One row per conversation: the sums of its traces, what was last derived from its spans, and the time from which it is due. A
  // conversation without traces is one whose traces have all moved to other conversations.
  `CREATE TABLE IF NOT EXISTS conversations (
    project INTEGER NOT NULL,
    key TEXT NOT NULL,
    change BIGINT NOT NULL,                 -- the number of its last spans
    traces INTEGER NOT NULL,
    trace_id TEXT,                          -- the earliest trace
    trace_ids TEXT[],                       -- earliest first
    conversation TEXT,
    source TEXT,
    agent TEXT,
    service TEXT,
    root_name TEXT,
    root_end_ns BIGINT,
    has_ended BOOLEAN,                      -- any of its root spans has
    has_wholly_ended BOOLEAN,               -- a root span of the whole conversation has
    started_ns BIGINT,
    ended_ns BIGINT,
    has_errors BOOLEAN,
    received_spans INTEGER,
    received_first_ms BIGINT,
    received_last_ms BIGINT,
    reread BOOLEAN NOT NULL DEFAULT false,  -- to be read again because the mapping has changed
    due_ms BIGINT,                          -- NULL while nothing is to be read
    watched_until_ms BIGINT NOT NULL DEFAULT 0,
    lease BIGINT,                           -- of the one that reads it
    leased_until_ms BIGINT NOT NULL DEFAULT 0,
    reading BIGINT,                         -- the number of the last reading, in the order of their commits
    read_change BIGINT,                     -- the reading covers its spans up to this change
    read_received_spans INTEGER,
    read_ended BOOLEAN,
    read_wholly_ended BOOLEAN,
    mapping_version INTEGER,
    terms_change BIGINT,                    -- the change that the search index covers
    spans INTEGER,
    errors INTEGER,
    agent_version TEXT,                     -- NULL when it is unknown
    channel TEXT,                           -- NULL when it is unknown
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
    preview TEXT,
    preview_role TEXT,
    reported_successful BOOLEAN,            -- what the platform reports: NULL when it does not
    reported_ending TEXT,
    reported_summary TEXT,
    transcript TEXT,
    names TEXT,
    PRIMARY KEY (project, key)
  )`,

  // The attribute that contains the version of a project's agents, copied from the relational store.
  `CREATE TABLE IF NOT EXISTS version_attributes (project INTEGER PRIMARY KEY, attribute TEXT NOT NULL)`,
];

const indexesOf = (db: Db): string[] => [
  ...Object.entries(sortKeysOf(db)).map(
    ([name, key]) =>
      `CREATE INDEX IF NOT EXISTS conversations_by_${name.toLowerCase()} ON conversations (project, (${key}), trace_id)`,
  ),
  `CREATE INDEX IF NOT EXISTS conversations_by_agent ON conversations (project, agent, started_ns, trace_id)`,
  `CREATE INDEX IF NOT EXISTS conversations_by_source_and_agent
    ON conversations (project, source, agent, started_ns, trace_id)`,
  `CREATE INDEX IF NOT EXISTS conversations_by_version ON conversations (project, agent_version, started_ns, trace_id)
    WHERE agent_version IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS conversations_by_agent_version
    ON conversations (project, source, agent, agent_version, started_ns) WHERE agent_version IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS conversations_by_channel ON conversations (project, channel, started_ns, trace_id)
    WHERE channel IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS conversations_by_ending ON conversations (project, reported_ending, started_ns, trace_id)
    WHERE reported_ending IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS conversations_without_terms ON conversations (project) WHERE ${LACKS_TERMS}`,
  `CREATE INDEX IF NOT EXISTS conversations_by_reading ON conversations (project, reading)`,
  `CREATE INDEX IF NOT EXISTS conversations_due ON conversations (reread, due_ms) WHERE due_ms IS NOT NULL`,
  ...TURN_INDEXES,
];

const OF_SQLITE = [
  `CREATE TABLE IF NOT EXISTS bodies (
    project INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    segment INTEGER NOT NULL,
    position INTEGER NOT NULL,
    received_ms INTEGER NOT NULL,
    spans INTEGER NOT NULL,
    PRIMARY KEY (project, trace_id, segment, position)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS bodies_by_arrival ON bodies (project, received_ms, segment, position)`,
  // The derived conversations whose samples are not in the database of samples yet, and the numbers of those that they replace.
  `CREATE TABLE IF NOT EXISTS unmoved_readings (reading INTEGER PRIMARY KEY, project INTEGER NOT NULL, former INTEGER)`,
  SEARCH_TABLE,
  TRIGRAMS_TABLE,
  ...QUARTER_COUNTS,
  // `lsn`: every record of the journal up to this number is in the tables. `moved_reading`: the samples of the derived
  // conversations up to this number are in the database of samples. `holds_erased`: the search index may still contain parts of
  // erased texts.
  `CREATE TABLE IF NOT EXISTS trace_index (version INTEGER NOT NULL, reading INTEGER NOT NULL,
    lsn INTEGER NOT NULL, moved_reading INTEGER NOT NULL, holds_erased BOOLEAN NOT NULL)`,
  `INSERT INTO trace_index (version, reading, lsn, moved_reading, holds_erased)
    SELECT ${VERSIONS.sqlite}, 0, 0, 0, false WHERE NOT EXISTS (SELECT 1 FROM trace_index)`,
];

const OF_POSTGRES = [
  // Columns that tables of older versions do not have. A column is added only if it is missing, because ALTER TABLE locks the table.
  ...[
    ["conversations", "terms_change BIGINT"],
    ["conversations", 'agent_version TEXT COLLATE "C"'],
    ["conversations", 'channel TEXT COLLATE "C"'],
    ["conversations", 'preview_role TEXT COLLATE "C"'],
    ["conversations", "reported_successful BOOLEAN"],
    ["conversations", 'reported_ending TEXT COLLATE "C"'],
    ["conversations", 'reported_summary TEXT COLLATE "C"'],
    ["traces", "errors INTEGER NOT NULL DEFAULT 0"],
  ].map(
    ([table, column]) => `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attname = '${column!.split(" ")[0]}')
    THEN ALTER TABLE ${table} ADD COLUMN ${column}; END IF;
  END $$`,
  ),
  // The search terms of conversations, in a separate table, so that other changes of a conversation do not write the terms again.
  `CREATE TABLE IF NOT EXISTS conversation_terms (
    project INTEGER NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    terms INTEGER[] NOT NULL,
    PRIMARY KEY (project, key)
  )`,
  `CREATE INDEX IF NOT EXISTS conversation_terms_by_term ON conversation_terms USING gin (terms)`,
  `CREATE SEQUENCE IF NOT EXISTS trace_leases`,
  `CREATE TABLE IF NOT EXISTS trace_index (version INTEGER NOT NULL, reading BIGINT NOT NULL)`,
  `INSERT INTO trace_index SELECT ${VERSIONS.postgres}, 0 WHERE NOT EXISTS (SELECT 1 FROM trace_index)`,
];

/** If several processes start at the same time, they create the tables one after another. */
const ENGINES = {
  sqlite: {
    // If the index exists, its format is checked first, because the statements name columns that tables of an earlier format lack.
    isChecked: sql`SELECT 1 FROM sqlite_schema WHERE name = 'trace_index'`,
    first: [] as string[],
    tables: OF_SQLITE,
    typed: (table: string) => table.replaceAll("TEXT[]", "TEXT"),
  },
  postgres: {
    isChecked: sql`SELECT 1 WHERE false`,
    first: ["SELECT pg_advisory_xact_lock(hashtextextended('svc trace index', 0))"],
    tables: OF_POSTGRES,
    typed: (table: string) => table.replace(/^(\s+\w+ TEXT)\b(?!\[)/gm, '$1 COLLATE "C"'),
  },
};

/** Throws for tables of a newer version and, on SQLite, for tables of an earlier format. */
export const prepareIndex = (db: Db): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { isChecked, first, tables, typed } = ofEngine(db, ENGINES);
    if ((await isChecked.execute(tx)).rows.length > 0) await checkFormat(tx);
    for (const statement of [...first, ...TABLES.map(typed), turnsTableOf(db, typed), ...tables, ...indexesOf(db)])
      await sql.raw(statement).execute(tx);
    await checkFormat(tx);
  });

async function checkFormat(tx: Db): Promise<void> {
  const { rows } = await sql<{ version: number }>`SELECT version FROM trace_index`.execute(tx);
  const { version } = rows[0]!;
  const present = ofEngine(tx, VERSIONS);
  if (version < present) throw new FormerIndex(`The trace store's tables have format ${version}.`);
  if (version > present)
    throw new Error(`A newer version wrote the trace store's tables (format ${version}). Start that version.`);
}
