import { type RawBuilder, sql } from "kysely";
import { leasesOfProcesses, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import type { SimulationRow } from "../rules.ts";
import { isOpen, isUnderWay, owesVerdict, SUMMARY } from "./columns.ts";
import { appendEvent, simulationEvent } from "./events.ts";
import { completeRun } from "./run-status.ts";
import type { WriteRun } from "./writing.ts";

/** SQL expressions for leases of simulations. They use the clock of the database. */
export type Lease = {
  untilMs: RawBuilder<number | null>;
  hasLapsed: RawBuilder<boolean>;
};

type PlayedSimulation = Pick<SimulationRow, "id" | "attempt">;

type HeldSimulations = { played: readonly PlayedSimulation[]; gradedIds: readonly string[] };

export type LeaseStore = {
  /** Extends the leases, and returns the ids of the simulations whose given attempt is still in progress. */
  renew: (held: HeldSimulations) => Promise<Set<string>>;
  release: (held: HeldSimulations) => Promise<void>;
  isUnderWay: (id: string) => Promise<boolean | undefined>;
  isHeld: (played: PlayedSimulation) => Promise<boolean>;
  /**
   * Requeues every claimed or running simulation whose lease has lapsed, except the simulations with these ids. Ends a simulation
   * with too many attempts.
   */
  requeueLapsed: (playedIds: readonly string[]) => Promise<void>;
  leaseUngraded: () => Promise<string[]>;
};

/**
 * A simulation is queued again after an interruption of its first attempts, up to this number. After a later interruption, it ends as
 * orphaned.
 */
const INTERRUPTIONS_MAX = 10;
const IDS_AT_ONCE = 500;

const orphaned = (attempts: number, now: string) =>
  ({
    status: "failed",
    ending_reason: "orphaned",
    message: `The service stopped during attempt ${attempts} of the simulation, and makes no further attempt.`,
    ended_at: now,
    spans_written: 1,
  }) as const;

/**
 * Returns the expressions for leases. With SQLite only one process uses the data folder, so every lease counts as lapsed: after a start,
 * the process continues with its simulations immediately.
 */
export function leaseOf(db: Db, leaseMs: number): Lease {
  const { until, isFree } = leasesOfProcesses(db);
  return { untilMs: until(leaseMs), hasLapsed: isFree("leased_until_ms") };
}

export function createLeaseStore(db: Db, write: WriteRun, { untilMs, hasLapsed }: Lease): LeaseStore {
  async function setLeases(
    { played, gradedIds }: HeldSimulations,
    leased_until_ms: RawBuilder<number | null>,
  ): Promise<Set<string>> {
    const simulations = db.updateTable("simulations").set({ leased_until_ms });
    for (let from = 0; from < gradedIds.length; from += IDS_AT_ONCE) {
      const some = gradedIds.slice(from, from + IDS_AT_ONCE);
      await simulations.where("id", "in", some).where(owesVerdict).execute();
    }
    if (played.length === 0) return new Set();
    const underWay = simulations
      .where(({ or, and }) => or(played.map(({ id, attempt }) => and({ id, attempt }))))
      .where(isUnderWay)
      .returning("id");
    return new Set((await underWay.execute()).map(({ id }) => id));
  }

  return {
    renew: (held) => setLeases(held, untilMs),

    async release(held) {
      await setLeases(held, sql.lit(RELEASED));
    },

    async isUnderWay(id) {
      const row = await db.selectFrom("simulations").select("status").where("id", "=", id).executeTakeFirst();
      return row && ["claimed", "running"].includes(row.status);
    },

    async isHeld({ id, attempt }) {
      const held = db
        .selectFrom("simulations")
        .select("id")
        .where("id", "=", id)
        .where("attempt", "=", attempt)
        .where("status", "=", "running");
      return (await held.executeTakeFirst()) !== undefined;
    },

    async requeueLapsed(playedIds) {
      const now = new Date().toISOString();
      const lapsed = db
        .selectFrom("runs")
        .select(["id", "project_id"])
        .where(isOpen)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("simulations")
              .select("simulations.id")
              .whereRef("run_id", "=", "runs.id")
              .where("simulations.status", "in", ["claimed", "running"])
              .where(hasLapsed),
          ),
        );
      for (const { id: runId, project_id } of await lapsed.execute()) {
        await write({ run_id: runId, project_id }, async (tx) => {
          const underWay = tx
            .selectFrom("simulations")
            .select(SUMMARY)
            .where("run_id", "=", runId)
            .where(isUnderWay)
            .where(hasLapsed);
          for (const row of await underWay.execute()) {
            if (playedIds.includes(row.id)) continue;
            const left = row.attempt > INTERRUPTIONS_MAX ? orphaned(row.attempt, now) : ({ status: "queued" } as const);
            const { numUpdatedRows } = await tx
              .updateTable("simulations")
              .set(left)
              .where("id", "=", row.id)
              .where(hasLapsed)
              .executeTakeFirst();
            if (numUpdatedRows === 0n) continue;
            const message = `The service stopped during attempt ${row.attempt}. The simulation is played again.`;
            await appendEvent(tx, runId, simulationEvent({ ...row, message, ...left }));
          }
          await completeRun(tx, runId, now);
        });
      }
    },

    async leaseUngraded() {
      const leased = db
        .updateTable("simulations")
        .set({ leased_until_ms: untilMs })
        .where(owesVerdict)
        .where(hasLapsed)
        .returning("id");
      return (await leased.execute()).map(({ id }) => id);
    },
  };
}
