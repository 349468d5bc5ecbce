import type { ImportErrorKind } from "@svc/contract";
import { newId } from "../../ids.ts";
import type { Db } from "../../stores/relational.ts";
import type { Decisions } from "../rules.ts";
import type { OfAgent } from "./calls.ts";

/** A call whose spans are on disk. */
type ImportedCall = {
  callId: string;
  traceId: string;
  analysisSeen: boolean;
  startedMs: number | undefined;
  endedMs: number | undefined;
};

/** A call that could not be imported, for a reason of its own. */
type CallFault = { callId: string; fault: ImportErrorKind; endedMs?: number | undefined };

export type CallResult = ImportedCall | CallFault;

/** Notes imports, resolving their failures, and faults; answers which calls were written now, and by nobody before. */
export async function noteResults(
  tx: Db,
  of: OfAgent,
  results: readonly CallResult[],
  decisions: Decisions,
): Promise<Set<string>> {
  const imported = results.filter((result): result is ImportedCall => !("fault" in result));
  const written = imported.length === 0 ? new Set<string>() : await noteImports(tx, of, imported, decisions);
  for (const result of results) if ("fault" in result) await noteFault(tx, of, result, decisions);
  return written;
}

async function noteImports(
  tx: Db,
  { projectId, setupId, agentId, platformAgentId }: OfAgent,
  calls: readonly ImportedCall[],
  { nowMs, lookAgainMs }: Decisions,
): Promise<Set<string>> {
  const now = new Date(nowMs).toISOString();
  const inserted = await tx
    .insertInto("imported_calls")
    .values(
      calls.map(({ callId, traceId, analysisSeen, endedMs }) => ({
        project_id: projectId,
        call_id: callId,
        platform_agent_id: platformAgentId,
        trace_id: traceId,
        imported_at: now,
        analysis_seen: analysisSeen ? (1 as const) : (0 as const),
        looks: 0,
        look_again_ms: lookAgainMs({ analysisSeen, looks: 0, endedMs }),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("call_id")
    .execute();
  const written = new Set(inserted.map((row) => row.call_id));
  for (const call of calls) if (!written.has(call.callId)) await noteLook(tx, projectId, call, lookAgainMs);
  const callIds = calls.map(({ callId }) => callId);
  await tx
    .updateTable("import_failures")
    .set({ status: "resolved", last_attempt_at: now })
    .where("setup_id", "=", setupId)
    .where("status", "!=", "resolved")
    .where("call_id", "in", callIds)
    .execute();
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

/** Another import of the call may have come through meanwhile, and the setup may be gone. */
async function noteFault(
  tx: Db,
  { projectId, setupId, agentId }: OfAgent,
  { callId, fault: kind, endedMs }: CallFault,
  { nowMs, failure: decide, lookAgainMs }: Decisions,
): Promise<void> {
  const known = { callId, analysisSeen: false, endedMs };
  if (await noteLook(tx, projectId, known, lookAgainMs)) return;
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
  const { status, nextAttemptMs } = decide({ kind, attempts, wasOpen, firstSeenMs, endedMs });
  const now = new Date(nowMs).toISOString();
  const changed = { status, error_kind: kind, attempts, next_attempt_ms: nextAttemptMs, last_attempt_at: now };
  await tx
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
    .execute();
}

/** Notes a look at a call that is imported; false for one that is not. */
async function noteLook(
  tx: Db,
  projectId: string,
  { callId, analysisSeen, endedMs }: Pick<ImportedCall, "callId" | "analysisSeen" | "endedMs">,
  lookAgainMs: Decisions["lookAgainMs"],
): Promise<boolean> {
  const row = await tx
    .selectFrom("imported_calls")
    .select(["analysis_seen", "looks"])
    .where("project_id", "=", projectId)
    .where("call_id", "=", callId)
    .executeTakeFirst();
  if (!row) return false;
  if (row.analysis_seen === 1) return true;
  const looks = row.looks + 1;
  await tx
    .updateTable("imported_calls")
    .set({ looks, analysis_seen: analysisSeen ? 1 : 0, look_again_ms: lookAgainMs({ analysisSeen, looks, endedMs }) })
    .where("project_id", "=", projectId)
    .where("call_id", "=", callId)
    .execute();
  return true;
}
