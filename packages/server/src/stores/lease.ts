import { type RawBuilder, sql } from "kysely";
import { dialectOf, isPostgres } from "./dialect.ts";
import type { Db } from "./relational.ts";

/**
 * SQL for leases of rows. A column of the row has the time at which the lease ends, by the database's clock. After that time,
 * another holder can take the row, for example because the first holder died. A holder is not told that it lost its lease. So each
 * new holder increases a number in the row, and its writes must check that the row still has this number.
 */
type Leases = {
  /** The value of the column for a lease that is taken or renewed now and ends in `ms` milliseconds. */
  until: (ms: number) => RawBuilder<number>;
  isFree: (column: string) => RawBuilder<boolean>;
  /** The greatest assumed difference between the clocks of two holders. */
  clocksDifferMs: number;
};

const CLOCKS_DIFFER_MS = 10 * 60_000;

/** The value of the column when the lease is released. */
export const RELEASED = 0;

/** Returns leases for rows for which two parts of the same process can also compete. */
export function leasesOn(db: Db): Leases {
  const { nowMs } = dialectOf(db);
  return {
    until: (ms) => sql`${nowMs} + ${sql.lit(ms)}`,
    isFree: (column) => sql`coalesce(${sql.ref(column)}, 0) <= ${nowMs}`,
    clocksDifferMs: CLOCKS_DIFFER_MS,
  };
}

/**
 * Returns leases for rows for which only processes compete. The lock of a data folder admits only one process, so on SQLite every
 * row is free.
 */
export const leasesOfProcesses = (db: Db): Leases =>
  isPostgres(db) ? leasesOn(db) : { until: () => sql.lit(RELEASED), isFree: () => sql`1 = 1`, clocksDifferMs: 0 };

const OF_FORMER_PROCESS = {
  import_failures: "replaying_until_ms",
  monitored_agents: "leased_until_ms",
  tries_under_way: "leased_until_ms",
  waiting_accounts: "leased_until_ms",
};

/** Ends the leases of the previous process. Call it once this process holds the lock of the data folder. */
export async function endFormerLeases(db: Db): Promise<void> {
  for (const [table, column] of Object.entries(OF_FORMER_PROCESS)) {
    const [name, until] = [sql.table(table), sql.ref(column)];
    await sql`UPDATE ${name} SET ${until} = ${RELEASED} WHERE ${until} > ${RELEASED}`.execute(db);
  }
}
