import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { Decisions } from "../rules.ts";
import type { Progress, ScanWindow } from "../scan-plan.ts";
import type { OfAgent } from "./calls.ts";
import { type CallResult, noteResults } from "./note-results.ts";
import type { AgentRow, SetupRow } from "./setups.ts";

/** The right to scan one agent for a while, and what is needed for it. */
export type Turn = {
  agent: AgentRow;
  setup: Pick<SetupRow, "id" | "revision">;
  project: { id: string; number: number };
};

/** A page that was read: where to go on, and what the scan has seen when it is the last one. */
type PageRead = { nextKey: string | undefined; reachedMs: number; progress: Progress };

/** `lost` when another holds the lease now; `repeated` when the next page was read before. */
type PageStep = "next" | "ended" | "repeated" | "lost";

export type ScanStore = ReturnType<typeof openScanStore>;

export function openScanStore(db: Db) {
  /** The agent, for writes of whoever holds its lease; nothing when another took it since, or it was dropped. */
  const leased = (tx: Db, { agent }: Turn) =>
    tx.updateTable("monitored_agents").where("id", "=", agent.id).where("lease", "=", agent.lease);

  const nextDue = (nowMs: number, busy: readonly string[]) =>
    db
      .selectFrom("monitored_agents as a")
      .innerJoin("monitoring_setups as s", "s.id", "a.setup_id")
      .innerJoin("projects as p", "p.id", "s.project_id")
      .select(["a.id", "a.lease", "s.id as setup", "s.revision", "p.id as project", "p.number"])
      .where("a.dropped", "=", 0)
      .where("a.next_turn_ms", "<=", nowMs)
      .where("a.leased_until_ms", "<=", nowMs)
      .where((eb) => eb.or([eb("s.blocked_until", "is", null), eb("s.blocked_until", "<=", iso(nowMs))]))
      .$if(busy.length > 0, (query) => query.where("s.id", "not in", busy))
      .orderBy("a.next_turn_ms")
      .orderBy("a.id")
      .limit(1)
      .executeTakeFirst();

  return {
    /** Takes the lease of the agent that has waited longest for its turn, of a setup that is not among the busy. */
    async take(nowMs: number, leaseMs: number, busy: readonly string[]): Promise<Turn | undefined> {
      for (let due = await nextDue(nowMs, busy); due; due = await nextDue(nowMs, busy)) {
        const agent = await db
          .updateTable("monitored_agents")
          .set({ lease: due.lease + 1, leased_until_ms: nowMs + leaseMs })
          .where("id", "=", due.id)
          .where("lease", "=", due.lease)
          .returningAll()
          .executeTakeFirst();
        if (agent)
          return {
            agent,
            setup: { id: due.setup, revision: due.revision },
            project: { id: due.project, number: due.number },
          };
      }
      return undefined;
    },

    /** False when the lease was lost. */
    async renew(turn: Turn, untilMs: number): Promise<boolean> {
      const { numUpdatedRows } = await leased(db, turn).set({ leased_until_ms: untilMs }).executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Starts a scan from its first page. */
    async begin(turn: Turn, { kind, fromMs, toMs, endedFromMs }: ScanWindow): Promise<AgentRow | undefined> {
      return transaction(db, async (tx) => {
        const begun = await leased(tx, turn)
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
        if (begun) await tx.deleteFrom("scanned_pages").where("agent_id", "=", turn.agent.id).execute();
        return begun;
      });
    },

    /** Notes what became of a page's calls and goes on to the next one, or ends the scan, in one step. */
    async checkpoint(
      turn: Turn,
      results: readonly CallResult[],
      page: PageRead,
      decisions: Decisions,
    ): Promise<PageStep> {
      return transaction(db, async (tx) => {
        const written = await noteResults(tx, ofAgent(turn), results, decisions);
        const isLast = page.nextKey === undefined;
        const ended = isLast && { ...page.progress, scan_done: 1 as const, last_success_at: iso(decisions.nowMs) };
        const { numUpdatedRows } = await leased(tx, turn)
          .set((eb) => ({
            scan_page_key: page.nextKey ?? null,
            scan_pages: eb("scan_pages", "+", 1),
            scan_imported: eb("scan_imported", "+", written.size),
            scan_reached_ms: page.reachedMs,
            ...ended,
          }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return "lost";
        if (page.nextKey === undefined) return "ended";
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto("scanned_pages")
          .values({ agent_id: turn.agent.id, page_key: page.nextKey })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 0n ? "repeated" : "next";
      });
    },

    /** Gives a scan up that cannot come to its end; the next one begins anew. */
    async giveUp(turn: Turn): Promise<void> {
      await leased(db, turn).set({ scan_done: 1, scan_page_key: null }).execute();
    },

    /** Gives the lease back. */
    async release(turn: Turn, nextTurnMs: number): Promise<void> {
      await leased(db, turn).set({ leased_until_ms: 0, next_turn_ms: nextTurnMs }).execute();
    },
  };
}

export const ofAgent = ({ agent, setup, project }: Turn): OfAgent => ({
  projectId: project.id,
  setupId: setup.id,
  agentId: agent.id,
  platformAgentId: agent.platform_agent_id,
});

const iso = (ms: number) => new Date(ms).toISOString();
