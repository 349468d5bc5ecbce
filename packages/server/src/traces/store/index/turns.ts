import { sql } from "kysely";
import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import type { TurnRow } from "../../measures/turn-rows.ts";
import { indexDialectOf } from "./dialect.ts";
import { type ConversationKey, isOneOf } from "./writes.ts";

// A row for each turn of an agent, derived with its conversation and replaced with it. What lists show of the conversation is only in
// `conversations`.

/** A time to answer that is unknown sorts below all known times. */
export const UNKNOWN_US = -1;

/** Long texts come last, because SQLite reads a row from its start. */
export const TURNS_TABLE = `CREATE TABLE IF NOT EXISTS turns (
    project INTEGER NOT NULL,
    key TEXT NOT NULL,                      -- of its conversation
    turn INTEGER NOT NULL,
    turn_ns BIGINT NOT NULL,                -- its start
    answer_us BIGINT NOT NULL,              -- ${UNKNOWN_US} when it is unknown
    provenance TEXT,
    cut_short BOOLEAN,
    tool_failed BOOLEAN,
    called TEXT[],                          -- names of tools; NULL without a call
    user_text TEXT,
    agent_text TEXT,
    PRIMARY KEY (project, key, turn)
  )`;

export const TURN_INDEXES = [
  `CREATE INDEX IF NOT EXISTS turns_by_start ON turns (project, turn_ns, key, turn)`,
  `CREATE INDEX IF NOT EXISTS turns_by_time ON turns (project, answer_us, turn_ns, key, turn)`,
  `CREATE INDEX IF NOT EXISTS turns_cut_short_by_start ON turns (project, turn_ns, key, turn) WHERE cut_short`,
  `CREATE INDEX IF NOT EXISTS turns_cut_short_by_time ON turns (project, answer_us, turn_ns, key, turn) WHERE cut_short`,
];

/** On SQLite, the table is ordered by its key, so that the turns of a conversation are together. */
export const turnsTableOf = (db: Db, typed: (table: string) => string): string =>
  `${typed(TURNS_TABLE)}${ofEngine(db, { sqlite: " WITHOUT ROWID", postgres: "" })}`;

const COLUMNS = {
  project: "integer",
  key: "text",
  turn: "integer",
  turn_ns: "bigint",
  answer_us: "bigint",
  provenance: "text",
  cut_short: "boolean",
  tool_failed: "boolean",
  called: "text[]",
  user_text: "text",
  agent_text: "text",
} as const;
const NAMES = sql.raw(Object.keys(COLUMNS).join(", "));

/** Replaces the turns of the conversations. */
export async function storeTurns(
  tx: Db,
  conversations: readonly (ConversationKey & { turnRows: readonly TurnRow[] })[],
): Promise<void> {
  await removeTurns(tx, conversations);
  const rows = conversations.flatMap(({ project, key, turnRows }) =>
    turnRows.map((row) => recordOf(project, key, row)),
  );
  if (rows.length === 0) return;
  await sql`INSERT INTO turns (${NAMES}) SELECT ${NAMES} FROM ${indexDialectOf(tx).table("t", COLUMNS, rows)}`.execute(
    tx,
  );
}

export async function removeTurns(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  if (keys.length > 0) await sql`DELETE FROM turns WHERE ${isOneOf(tx, keys)}`.execute(tx);
}

const recordOf = (
  project: number,
  key: string,
  { index, startedNs, answerMs, provenance, interrupted, toolFailed, tools, userText, agentText }: TurnRow,
): Record<keyof typeof COLUMNS, unknown> => ({
  project,
  key,
  turn: index,
  turn_ns: String(startedNs),
  answer_us: answerMs === null ? UNKNOWN_US : Math.round(answerMs * 1_000),
  provenance,
  cut_short: interrupted,
  tool_failed: toolFailed,
  called: tools.length === 0 ? null : tools,
  user_text: userText,
  agent_text: agentText,
});
