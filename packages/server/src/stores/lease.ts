import { type RawBuilder, sql } from "kysely";
import { dialectOf, isPostgres } from "./dialect.ts";
import type { Db } from "./relational.ts";

/**
 * Leases of rows. A row belongs to its holder until the time in a column, by the database's clock. Others can then take it over
 * if the holder has died. A holder may lose its lease without notice, so each holder gets a higher number, which its writes must
 * check.
 */
type Leases = {
  /** The value of the column for a lease that is taken or renewed now. */
  until: (ms: number) => RawBuilder<number>;
  /** The condition that no one holds the row. */
  isFree: (column: string) => RawBuilder<boolean>;
  /** The greatest assumed difference between the clocks of two holders. */
  clocksDifferMs: number;
};

const CLOCKS_DIFFER_MS = 10 * 60_000;

/** The value of the column when the lease is released. */
export const RELEASED = 0;

/** Returns leases that are also needed between two parts of one process. */
export function leasesOn(db: Db): Leases {
  const { nowMs } = dialectOf(db);
  return {
    until: (ms) => sql`${nowMs} + ${sql.lit(ms)}`,
    isFree: (column) => sql`coalesce(${sql.ref(column)}, 0) <= ${nowMs}`,
    clocksDifferMs: CLOCKS_DIFFER_MS,
  };
}

/**
 * Returns leases that are only needed between processes. A data folder's lock admits only one process, so each row is free
 * there.
 */
export const leasesOfProcesses = (db: Db): Leases =>
  isPostgres(db) ? leasesOn(db) : { until: () => sql.lit(RELEASED), isFree: () => sql`1 = 1`, clocksDifferMs: 0 };

/** Leases that the previous process on a data folder may have left. */
const OF_FORMER_PROCESS = {
  import_failures: "replaying_until_ms",
  monitored_agents: "leased_until_ms",
  tries_under_way: "leased_until_ms",
};

/** Ends the leases of the previous process. Call it once this process holds the lock of the data folder. */
export async function endFormerLeases(db: Db): Promise<void> {
  for (const [table, column] of Object.entries(OF_FORMER_PROCESS)) {
    const [name, until] = [sql.table(table), sql.ref(column)];
    await sql`UPDATE ${name} SET ${until} = ${RELEASED} WHERE ${until} > ${RELEASED}`.execute(db);
  }
}
