import type { ImportErrorKind } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { Decisions } from "../rules.ts";
import { type CallResult, noteResults } from "./note-results.ts";
import type { FailureRow, SetupRow } from "./setups.ts";

export type OfAgent = { projectId: string; setupId: string; agentId: string; platformAgentId: string };

/** An open or resolved failure with what is needed to import its call. */
export type Replay = {
  failure: FailureRow;
  of: OfAgent;
  setup: Pick<SetupRow, "id" | "revision">;
  project: { id: string; number: number };
};

export type CallStore = ReturnType<typeof openCallStore>;

export function openCallStore(db: Db) {
  return {
    /** The calls, each once, that are neither imported nor known not to be. */
    async unknownAmong({ projectId, setupId }: OfAgent, callIds: readonly string[]): Promise<string[]> {
      if (callIds.length === 0) return [];
      const known = await db
        .selectFrom("imported_calls")
        .select("call_id")
        .where("project_id", "=", projectId)
        .where("call_id", "in", callIds)
        .unionAll(
          db
            .selectFrom("import_failures")
            .select("call_id")
            .where("setup_id", "=", setupId)
            .where("call_id", "in", callIds),
        )
        .execute();
      const unknown = new Set(callIds);
      for (const { call_id } of known) unknown.delete(call_id);
      return [...unknown];
    },

    /** Calls of the agent to read again: those not imported yet, and those whose analysis may have come since. */
    async toReadAgain(
      { projectId, agentId, platformAgentId }: OfAgent,
      nowMs: number,
      limit: number,
    ): Promise<string[]> {
      const failed = await db
        .selectFrom("import_failures")
        .select("call_id")
        .where("agent_id", "=", agentId)
        .where("status", "in", ["waiting", "open"])
        .where("next_attempt_ms", "<=", nowMs)
        .orderBy("next_attempt_ms")
        .limit(limit)
        .execute();
      const unanalysed = await db
        .selectFrom("imported_calls")
        .select("call_id")
        .where("project_id", "=", projectId)
        .where("platform_agent_id", "=", platformAgentId)
        .where("look_again_ms", "<=", nowMs)
        .orderBy("look_again_ms")
        .limit(limit)
        .execute();
      return [...failed, ...unanalysed].map((row) => row.call_id);
    },

    /** Notes what became of calls; answers which were written now, and by nobody before. */
    note: (of: OfAgent, results: readonly CallResult[], decisions: Decisions): Promise<Set<string>> =>
      transaction(db, (tx) => noteResults(tx, of, results, decisions)),

    /** The failure that a person sees by this id: an open or a resolved one of the project. */
    async failure(projectId: string, failureId: string): Promise<Replay | undefined> {
      const row = await db
        .selectFrom("import_failures as f")
        .innerJoin("monitored_agents as a", "a.id", "f.agent_id")
        .innerJoin("monitoring_setups as s", "s.id", "f.setup_id")
        .innerJoin("projects as p", "p.id", "s.project_id")
        .selectAll("f")
        .select(["a.platform_agent_id", "s.revision", "p.number"])
        .where("f.id", "=", failureId)
        .where("s.project_id", "=", projectId)
        .where("f.status", "!=", "waiting")
        .executeTakeFirst();
      if (!row) return undefined;
      const { platform_agent_id: platformAgentId, revision, number, ...failure } = row;
      return {
        failure,
        setup: { id: failure.setup_id, revision },
        project: { id: projectId, number },
        of: { projectId, setupId: failure.setup_id, agentId: failure.agent_id, platformAgentId },
      };
    },

    async traceOf(projectId: string, callId: string): Promise<string | undefined> {
      const row = await db
        .selectFrom("imported_calls")
        .select("trace_id")
        .where("project_id", "=", projectId)
        .where("call_id", "=", callId)
        .executeTakeFirst();
      return row?.trace_id;
    },

    /** Takes the replay lease of an open failure, counting the attempt; undefined while another holds it. */
    async takeReplay(failure: FailureRow, nowMs: number, leaseMs: number): Promise<FailureRow | undefined> {
      return db
        .updateTable("import_failures")
        .set((eb) => ({
          replay: eb("replay", "+", 1),
          replaying_until_ms: nowMs + leaseMs,
          attempts: eb("attempts", "+", 1),
          last_attempt_at: new Date(nowMs).toISOString(),
        }))
        .where("id", "=", failure.id)
        .where("status", "=", "open")
        .where("replaying_until_ms", "<=", nowMs)
        .returningAll()
        .executeTakeFirst();
    },

    async noteReplayFault({ id, replay }: FailureRow, fault: ImportErrorKind): Promise<void> {
      await db
        .updateTable("import_failures")
        .set({ error_kind: fault })
        .where("id", "=", id)
        .where("replay", "=", replay)
        .execute();
    },

    /** Gives the lease back, unless it has lapsed and another took it. */
    async releaseReplay({ id, replay }: FailureRow): Promise<void> {
      await db
        .updateTable("import_failures")
        .set({ replaying_until_ms: 0 })
        .where("id", "=", id)
        .where("replay", "=", replay)
        .execute();
    },
  };
}
