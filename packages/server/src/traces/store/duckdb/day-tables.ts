import { DAY_MS, dayOf } from "../day.ts";
import type { DatabaseConnection } from "./database.ts";

export const DAY_TABLE_PATTERN = `spans_${"_".repeat("YYYYMMDD".length)}`;

export const tableOfDay = (day: number) =>
  `spans_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

export const dayOfTable = (name: string) =>
  dayOf(Date.parse(`${name.slice(6, 10)}-${name.slice(10, 12)}-${name.slice(12)}`));

/** Creates the table of a day; a commit writes its columns in this order. */
export const createDayTable = (write: DatabaseConnection, day: number) =>
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

/** Returns the days from `first` to `last` that have a table, in order. */
export const daysBetween = (days: Set<number>, first: number, last: number) =>
  [...days].filter((day) => day >= first && day <= last).sort((a, b) => a - b);
