import type { ImportErrorKind } from "@svc/contract";
import { newId } from "../../base/ids.ts";
import { recordEvent } from "../../stores/events.ts";
import type { Db } from "../../stores/relational.ts";
import type { ImportRules } from "../rules.ts";
import type { FailureRow, MonitoredAgentIds } from "./rows.ts";

/** A call whose spans are on disk. */
type ImportedCall = {
  callId: string;
  traceId: string;
  hasAnalysis: boolean;
  startedMs: number | undefined;
  endedMs: number | undefined;
};

/** A call that could not be imported, for a reason that concerns only this call. */
type FailedCall = { callId: string; failure: ImportErrorKind; endedMs?: number | undefined };

export type ImportResult = ImportedCall | FailedCall;

export async function recordResults(
  tx: Db,
  agent: MonitoredAgentIds,
  results: readonly ImportResult[],
  rules: ImportRules,
): Promise<Set<string>> {
  const imported = results.filter((result): result is ImportedCall => !("failure" in result));
  const written = imported.length === 0 ? new Set<string>() : await recordImports(tx, agent, imported, rules);
  for (const result of results) if ("failure" in result) await recordFailure(tx, agent, result, rules);
  return written;
}

async function recordImports(
  tx: Db,
  { projectId, setupId, agentId, platformAgentId }: MonitoredAgentIds,
  calls: readonly ImportedCall[],
  { nowMs, nextReadMs }: ImportRules,
): Promise<Set<string>> {
  const now = new Date(nowMs).toISOString();
  const inserted = await tx
    .insertInto("imported_calls")
    .values(
      calls.map(({ callId, traceId, hasAnalysis, endedMs }) => ({
        project_id: projectId,
        call_id: callId,
        platform_agent_id: platformAgentId,
        trace_id: traceId,
        imported_at: now,
        analysis_seen: hasAnalysis ? (1 as const) : (0 as const),
        looks: 0,
        look_again_ms: nextReadMs({ hasAnalysis, rereads: 0, endedMs }),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("call_id")
    .execute();
  const written = new Set(inserted.map((row) => row.call_id));
  for (const call of calls) if (!written.has(call.callId)) await recordReread(tx, projectId, call, nextReadMs);
  const callIds = calls.map(({ callId }) => callId);
  const ofCalls = tx
    .selectFrom("import_failures")
    .selectAll()
    .where("setup_id", "=", setupId)
    .where("call_id", "in", callIds);
  const open = await ofCalls.where("status", "=", "open").execute();
  await tx
    .updateTable("import_failures")
    .set({ status: "resolved", last_attempt_at: now })
    .where("setup_id", "=", setupId)
    .where("status", "!=", "resolved")
    .where("call_id", "in", callIds)
    .execute();
  for (const failure of open) await recordFailureEvent(tx, "import.resolved", { projectId, platformAgentId }, failure);
  const newestMs = Math.max(...calls.map(({ startedMs }) => startedMs ?? 0));
  if (newestMs > 0) {
    const newest = new Date(newestMs).toISOString();
    await tx
      .updateTable("monitored_agents")
      .set({ last_conversation_at: newest })
      .where("id", "=", agentId)
      .where((eb) => eb.or([eb("last_conversation_at", "is", null), eb("last_conversation_at", "<", newest)]))
      .execute();
  }
  return written;
}

/** Records a failure, unless the call has been imported or the setup has been removed in the meantime. */
async function recordFailure(
  tx: Db,
  { projectId, setupId, agentId, platformAgentId }: MonitoredAgentIds,
  { callId, failure: kind, endedMs }: FailedCall,
  { nowMs, afterFailedAttempt, nextReadMs }: ImportRules,
): Promise<void> {
  if (await recordReread(tx, projectId, { callId, hasAnalysis: false, endedMs }, nextReadMs)) return;
  const agent = await tx.selectFrom("monitored_agents").select("id").where("id", "=", agentId).executeTakeFirst();
  if (!agent) return;
  const before = await tx
    .selectFrom("import_failures")
    .selectAll()
    .where("setup_id", "=", setupId)
    .where("call_id", "=", callId)
    .executeTakeFirst();
  const attempts = (before?.attempts ?? 0) + 1;
  const firstSeenMs = before ? Date.parse(before.created_at) : nowMs;
  const wasOpen = before?.status === "open";
  const { status, nextAttemptMs } = afterFailedAttempt({ kind, attempts, wasOpen, firstSeenMs, endedMs });
  const now = new Date(nowMs).toISOString();
  const changed = {
    status,
    error_kind: kind,
    attempts,
    next_attempt_ms: nextAttemptMs,
    last_attempt_at: now,
    opened_at: status !== "open" ? null : wasOpen ? before.opened_at : now,
  };
  const failure = await tx
    .insertInto("import_failures")
    .values({
      id: newId("rif"),
      setup_id: setupId,
      agent_id: agentId,
      call_id: callId,
      ...changed,
      replay: 0,
      replaying_until_ms: 0,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["setup_id", "call_id"]).doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow();
  if (status === "open" && !wasOpen)
    await recordFailureEvent(tx, "import.failed", { projectId, platformAgentId }, failure);
}

async function recordFailureEvent(
  tx: Db,
  type: "import.failed" | "import.resolved",
  { projectId, platformAgentId }: Pick<MonitoredAgentIds, "projectId" | "platformAgentId">,
  { id, call_id: callId, error_kind: kind, attempts }: FailureRow,
): Promise<void> {
  const data = { failure: { id, callId, platformAgentId, kind, attempts } };
  await recordEvent(tx, projectId, { type, about: id, data, once: true });
}

async function recordReread(
  tx: Db,
  projectId: string,
  { callId, hasAnalysis, endedMs }: Pick<ImportedCall, "callId" | "hasAnalysis" | "endedMs">,
  nextReadMs: ImportRules["nextReadMs"],
): Promise<boolean> {
  const row = await tx
    .selectFrom("imported_calls")
    .select(["analysis_seen", "looks"])
    .where("project_id", "=", projectId)
    .where("call_id", "=", callId)
    .executeTakeFirst();
  if (!row) return false;
  if (row.analysis_seen === 1) return true;
  const rereads = row.looks + 1;
  await tx
    .updateTable("imported_calls")
    .set({
      looks: rereads,
      analysis_seen: hasAnalysis ? 1 : 0,
      look_again_ms: nextReadMs({ hasAnalysis, rereads, endedMs }),
    })
    .where("project_id", "=", projectId)
    .where("call_id", "=", callId)
    .execute();
  return true;
}
