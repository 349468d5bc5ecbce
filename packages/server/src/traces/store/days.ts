import type { Connection } from "../../stores/analytics.ts";

/** A day counts from 1970-01-01 UTC and is the one on which the body was received, so that a replay finds the same. */
export const DAY_MS = 86_400_000;

export const DAY_TABLE_PATTERN = `spans_${"_".repeat("YYYYMMDD".length)}`;

export const dayOf = (timeMs: number) => Math.floor(timeMs / DAY_MS);

export const tableOfDay = (day: number) =>
  `spans_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

export const dayOfTable = (name: string) =>
  dayOf(Date.parse(`${name.slice(6, 10)}-${name.slice(10, 12)}-${name.slice(12)}`));

/** The columns of a day's table, in the order in which a commit writes them. */
export const createDay = (write: Connection, day: number) =>
  write.run(`CREATE TABLE IF NOT EXISTS ${tableOfDay(day)} (
  project UINTEGER NOT NULL,
  trace_id UHUGEINT NOT NULL,
  span_id UBIGINT NOT NULL,
  parent_span_id UBIGINT,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  received_ms BIGINT NOT NULL,
  lsn BIGINT NOT NULL,
  segment BIGINT NOT NULL,
  position UINTEGER NOT NULL,
  status UTINYINT NOT NULL,
  conversation_rank UTINYINT,
  name VARCHAR,
  conversation VARCHAR,
  agent VARCHAR,
  service VARCHAR
)`);

/** The days from `first` to `last` that have a table. */
export const daysBetween = (days: Set<number>, first: number, last: number) =>
  [...days].filter((day) => day >= first && day <= last).sort((a, b) => a - b);
