import type { Db } from "../../stores/relational.ts";

/** The last time that the service saw on the wall clock, and how long it must still run before it may erase data. */
export type ClockWitness = { seenMs: number; holdMs: number };

/** The place of the witness. `read` returns undefined before the first `write`. */
export type WitnessStore = {
  read: () => Promise<ClockWitness | undefined>;
  write: (witness: ClockWitness) => Promise<void>;
};

/** Each retention observes the clock only while it erases something, and has a witness of its own. */
const ROWS = { conversations: 1, audit: 2, events: 3, alerts: 4 } as const;

/** Returns the place of the witness, which all processes on a store share. */
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
