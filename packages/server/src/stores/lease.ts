import { type RawBuilder, sql } from "kysely";
import { dialectOf, isPostgres } from "./dialect.ts";
import type { Db } from "./relational.ts";

/**
 * Leases of rows: a row is its holder's until a time that a column holds, by the clock of the database, so that others take it up
 * when the holder has ended. A holder may lose its lease without notice: a number that grows with each holder guards its writes.
 */
type Leases = {
  /** The value of the column for a lease that is taken or renewed now. */
  until: (ms: number) => RawBuilder<number>;
  /** The condition that the row has no holder. */
  isFree: (column: string) => RawBuilder<boolean>;
  /** The most by which the clocks of two holders differ. */
  clocksDifferMs: number;
};

const CLOCKS_DIFFER_MS = 10 * 60_000;

/** The value of the column when the lease is released. */
export const RELEASED = 0;

/** Leases for which two parts of one process compete too. */
export function leasesOn(db: Db): Leases {
  const { nowMs } = dialectOf(db);
  return {
    until: (ms) => sql`${nowMs} + ${sql.lit(ms)}`,
    isFree: (column) => sql`coalesce(${sql.ref(column)}, 0) <= ${nowMs}`,
    clocksDifferMs: CLOCKS_DIFFER_MS,
  };
}

/** Leases for which only processes compete. The lock of a data folder is the lease of its one process, so that each row is free. */
export const leasesOfProcesses = (db: Db): Leases =>
  isPostgres(db) ? leasesOn(db) : { until: () => sql.lit(RELEASED), isFree: () => sql`1 = 1`, clocksDifferMs: 0 };

/** Leases of the process before this one on a data folder. */
const OF_FORMER_PROCESS = {
  import_failures: "replaying_until_ms",
  monitored_agents: "leased_until_ms",
  tries_under_way: "leased_until_ms",
};

/** Ends the leases of a former process. Call it once this process has the lock of the data folder. */
export async function endFormerLeases(db: Db): Promise<void> {
  for (const [table, column] of Object.entries(OF_FORMER_PROCESS)) {
    const [name, until] = [sql.table(table), sql.ref(column)];
    await sql`UPDATE ${name} SET ${until} = ${RELEASED} WHERE ${until} > ${RELEASED}`.execute(db);
  }
}
