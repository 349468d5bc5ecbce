import { type RawBuilder, sql } from "kysely";
import { leasesOfProcesses, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import type { SimulationRow } from "../rules.ts";
import { isOpen, isUnderWay, owesVerdict, SUMMARY } from "./columns.ts";
import { appendEvent, simulationEvent } from "./events.ts";
import { completeRun } from "./run-status.ts";
import type { WriteRun } from "./writing.ts";

/** SQL about the leases of simulations, by the clock of the database. */
export type Lease = {
  /** The end of a lease that begins now. */
  untilMs: RawBuilder<number | null>;
  hasLapsed: RawBuilder<boolean>;
};

/** A simulation that a process plays, and the attempt that it plays. */
type PlayedSimulation = Pick<SimulationRow, "id" | "attempt">;

/** The simulations that a process holds. */
type HeldSimulations = { played: readonly PlayedSimulation[]; gradedIds: readonly string[] };

/** The leases of simulations under way and of ended ones without a verdict. */
export type LeaseStore = {
  /** Extends the leases; returns the ids of the simulations that are still under way in these attempts. */
  renew: (held: HeldSimulations) => Promise<Set<string>>;
  /** Ends the leases, so that other processes take the simulations up at once. */
  release: (held: HeldSimulations) => Promise<void>;
  /** Returns whether a process plays the simulation; undefined when there is no such simulation. */
  isUnderWay: (id: string) => Promise<boolean | undefined>;
  /** Returns whether this attempt may still end the simulation. */
  isHeld: (played: PlayedSimulation) => Promise<boolean>;
  /**
   * Requeues every simulation under way whose lease has lapsed, except the ones with these ids; ends a simulation that was
   * interrupted too often.
   */
  requeueLapsed: (playedIds: readonly string[]) => Promise<void>;
  /** Leases the ended simulations that no process grades and returns their ids. */
  leaseUngraded: () => Promise<string[]>;
};

/** This many interruptions by a stop of the service end a simulation as orphaned. */
const INTERRUPTIONS_MAX = 10;
const IDS_AT_ONCE = 500;

const orphaned = (attempts: number, now: string) =>
  ({
    status: "failed",
    ending_reason: "orphaned",
    message: `The service stopped ${attempts} times during the simulation.`,
    ended_at: now,
    spans_written: 1,
  }) as const;

/**
 * Returns the SQL of leases. On a data folder, which one process uses, all leases have always lapsed, so a start takes up its
 * simulations at once.
 */
export function leaseOf(db: Db, leaseMs: number): Lease {
  const { until, isFree } = leasesOfProcesses(db);
  return { untilMs: until(leaseMs), hasLapsed: isFree("leased_until_ms") };
}

export function createLeaseStore(db: Db, write: WriteRun, { untilMs, hasLapsed }: Lease): LeaseStore {
  /** Sets the leases, and returns the ids of the simulations that are still under way in these attempts. */
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
            if (numUpdatedRows > 0n && left.status === "failed")
              await appendEvent(tx, runId, simulationEvent({ ...row, ...left }));
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
