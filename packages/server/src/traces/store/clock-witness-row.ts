import type { Db } from "../../stores/relational.ts";

/** Last observed time of the system clock, and the milliseconds that the service must still run before it may erase data. */
export type ClockWitness = { seenMs: number; holdMs: number };

/** `read` returns undefined before the first `write`. */
export type WitnessStore = {
  read: () => Promise<ClockWitness | undefined>;
  write: (witness: ClockWitness) => Promise<void>;
};

/** Each retention has its own witness, because a retention observes the clock only while it has a number of days. */
const ROWS = { conversations: 1, audit: 2, events: 3, alerts: 4 } as const;

/** All processes on one database share the witness. */
export function createWitnessRow(db: Db, of: keyof typeof ROWS): WitnessStore {
  const id = ROWS[of];
  return {
    async read() {
      const witness = db.selectFrom("clock_witness").select(["seen_ms", "hold_ms"]).where("id", "=", id);
      const row = await witness.executeTakeFirst();
      return row && { seenMs: row.seen_ms, holdMs: row.hold_ms };
    },
    async write({ seenMs, holdMs }) {
      const times = { seen_ms: Math.round(seenMs), hold_ms: Math.round(holdMs) };
      await db
        .insertInto("clock_witness")
        .values({ id, ...times })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(times))
        .execute();
    },
  };
}
