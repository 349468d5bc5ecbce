import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { ImportRules } from "../rules.ts";
import { type ImportResult, recordResults } from "./record-results.ts";
import type { MonitoredAgentIds } from "./rows.ts";

export type CallStore = {
  /** Returns the ids of those calls that have neither an import nor a failure, without duplicates. */
  listNew: (agent: MonitoredAgentIds, callIds: readonly string[]) => Promise<string[]>;
  /** Returns the ids of the agent's due calls: at most `limit` failed calls, and at most `limit` imported calls without an analysis. */
  listDue: (agent: MonitoredAgentIds, nowMs: number, limit: number) => Promise<string[]>;
  findNextRetryMs: (agent: MonitoredAgentIds) => Promise<number | undefined>;
  recordResults: (
    agent: MonitoredAgentIds,
    results: readonly ImportResult[],
    rules: ImportRules,
  ) => Promise<Set<string>>;
  findTraceId: (projectId: string, callId: string) => Promise<string | undefined>;
};

export function createCallStore(db: Db): CallStore {
  return {
    async listNew({ projectId, setupId }, callIds) {
      if (callIds.length === 0) return [];
      const recorded = await db
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
      const unrecorded = new Set(callIds);
      for (const { call_id } of recorded) unrecorded.delete(call_id);
      return [...unrecorded];
    },

    async listDue({ projectId, agentId, platformAgentId }, nowMs, limit) {
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

    async findNextRetryMs({ agentId }) {
      const next = await db
        .selectFrom("import_failures")
        .select("next_attempt_ms")
        .where("agent_id", "=", agentId)
        .where("status", "=", "waiting")
        .orderBy("next_attempt_ms")
        .limit(1)
        .executeTakeFirst();
      return next?.next_attempt_ms;
    },

    recordResults: (agent, results, rules) =>
      transaction(db, agent.projectId, (tx) => recordResults(tx, agent, results, rules)),

    async findTraceId(projectId, callId) {
      const row = await db
        .selectFrom("imported_calls")
        .select("trace_id")
        .where("project_id", "=", projectId)
        .where("call_id", "=", callId)
        .executeTakeFirst();
      return row?.trace_id;
    },
  };
}
