import { leasesOn, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import { statement, transaction } from "../../stores/transaction.ts";
import type { ImportRules } from "../rules.ts";
import type { ScanProgress, ScanWindow } from "../platform-a/scan-plan.ts";
import { type ImportResult, recordResults } from "./record-results.ts";
import type { MonitoredAgentIds, MonitoredAgentRow, SetupRow } from "./rows.ts";

/** Lease on the scan of an agent. Only the process with the lease scans the agent, until the lease lapses. */
export type ScanLease = {
  agent: MonitoredAgentRow;
  setup: Pick<SetupRow, "id" | "revision" | "fetches_recordings">;
  projectId: string;
  projectNumber: number;
};

/**
 * Position of a scan after a page: the key of the next page, the time up to which the scan has read calls, and the progress if this page is
 * the last.
 */
type ScanPosition = { nextKey: string | undefined; reachedMs: number; progress: ScanProgress };

/** What follows a page. `lost`: another process has the lease. `repeated`: the scan has already read the next page. */
type PageOutcome = "next" | "ended" | "repeated" | "lost";

/** Stores the progress of scans. A method with a lease as its argument changes nothing when the lease is lost. */
export type ScanStore = {
  /**
   * Leases the agent that has been due longest; returns undefined when no agent is due. Leaves out the setups in `busy`, and setups that
   * have a leased agent.
   */
  leaseNext: (nowMs: number, leaseMs: number, busy: readonly string[]) => Promise<ScanLease | undefined>;
  renew: (lease: ScanLease, leaseMs: number) => Promise<boolean>;
  /** Returns undefined when the lease is lost. */
  begin: (lease: ScanLease, window: ScanWindow) => Promise<MonitoredAgentRow | undefined>;
  /** Records the results of a page, and sets the scan's next page or ends the scan, in one transaction. */
  recordPage: (
    lease: ScanLease,
    results: readonly ImportResult[],
    position: ScanPosition,
    rules: ImportRules,
  ) => Promise<PageOutcome>;
  /** Ends a scan that cannot be finished, without recording progress. The next scan reads the same window again. */
  abandon: (lease: ScanLease) => Promise<void>;
  release: (lease: ScanLease, nextStepMs: number) => Promise<void>;
};

export function createScanStore(db: Db): ScanStore {
  const leases = leasesOn(db);
  const leased = (tx: Db, { agent }: ScanLease) =>
    tx.updateTable("monitored_agents").where("id", "=", agent.id).where("lease", "=", agent.lease);

  const leasedSetups = db
    .selectFrom("monitored_agents")
    .select("setup_id")
    .where(({ not }) => not(leases.isFree("leased_until_ms")));

  const nextDue = (nowMs: number, busy: readonly string[]) =>
    db
      .selectFrom("monitored_agents as a")
      .innerJoin("monitoring_setups as s", "s.id", "a.setup_id")
      .innerJoin("projects as p", "p.id", "s.project_id")
      .select(["a.id", "a.lease", "s.id as setupId", "s.revision", "s.fetches_recordings"])
      .select(["p.id as projectId", "p.number as projectNumber"])
      .where("a.dropped", "=", 0)
      .where("a.next_turn_ms", "<=", nowMs)
      .where("a.setup_id", "not in", leasedSetups)
      .where((eb) => eb.or([eb("s.blocked_until", "is", null), eb("s.blocked_until", "<=", iso(nowMs))]))
      .$if(busy.length > 0, (query) => query.where("s.id", "not in", busy))
      .orderBy("a.next_turn_ms")
      .orderBy("a.id")
      .limit(1)
      .executeTakeFirst();

  return {
    async leaseNext(nowMs, leaseMs, busy) {
      for (let due = await nextDue(nowMs, busy); due; due = await nextDue(nowMs, busy)) {
        const { setupId, revision, fetches_recordings, projectId, projectNumber } = due;
        const agent = await statement(db, `scans of ${setupId}`, (tx) =>
          tx
            .updateTable("monitored_agents")
            .set({ lease: due.lease + 1, leased_until_ms: leases.until(leaseMs) })
            .where("id", "=", due.id)
            .where("lease", "=", due.lease)
            .where("setup_id", "not in", leasedSetups)
            .returningAll()
            .executeTakeFirst(),
        );
        const setup = { id: setupId, revision, fetches_recordings };
        if (agent) return { agent, setup, projectId, projectNumber };
      }
      return undefined;
    },

    async renew(lease, leaseMs) {
      const renewed = leased(db, lease).set({ leased_until_ms: leases.until(leaseMs) });
      const { numUpdatedRows } = await renewed.executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    begin: (lease, { kind, fromMs, toMs, endedFromMs }) =>
      transaction(db, lease.projectId, async (tx) => {
        const begun = await leased(tx, lease)
          .set({
            scan_kind: kind,
            scan_from_ms: fromMs,
            scan_to_ms: toMs,
            scan_ended_from_ms: endedFromMs,
            scan_reached_ms: fromMs,
            scan_page_key: null,
            scan_pages: 0,
            scan_imported: 0,
            scan_done: 0,
          })
          .returningAll()
          .executeTakeFirst();
        if (begun) await tx.deleteFrom("scanned_pages").where("agent_id", "=", lease.agent.id).execute();
        return begun;
      }),

    recordPage: (lease, results, { nextKey, reachedMs, progress }, rules) =>
      transaction(db, lease.projectId, async (tx) => {
        const written = await recordResults(tx, agentIdsOf(lease), results, rules);
        const isLast = nextKey === undefined;
        const ended = isLast && { ...progress, scan_done: 1 as const, last_success_at: iso(rules.nowMs) };
        const { numUpdatedRows } = await leased(tx, lease)
          .set((eb) => ({
            scan_page_key: nextKey ?? null,
            scan_pages: eb("scan_pages", "+", 1),
            scan_imported: eb("scan_imported", "+", written.size),
            scan_reached_ms: reachedMs,
            ...ended,
          }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return "lost";
        if (isLast) return "ended";
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto("scanned_pages")
          .values({ agent_id: lease.agent.id, page_key: nextKey })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 0n ? "repeated" : "next";
      }),

    async abandon(lease) {
      await leased(db, lease).set({ scan_done: 1, scan_page_key: null }).execute();
    },

    async release(lease, nextStepMs) {
      await leased(db, lease).set({ leased_until_ms: RELEASED, next_turn_ms: nextStepMs }).execute();
    },
  };
}

export const agentIdsOf = ({ agent, setup, projectId }: ScanLease): MonitoredAgentIds => ({
  projectId,
  setupId: setup.id,
  agentId: agent.id,
  platformAgentId: agent.platform_agent_id,
});

const iso = (ms: number) => new Date(ms).toISOString();
