import type { Answer, operations } from "@svc/contract";
import { notFound } from "../../base/errors.ts";
import { importCall } from "./import-call.ts";
import { clientOf, type ImportContext } from "./import-context.ts";
import { PlatformError } from "./platform-error.ts";
import { READ_HISTORY, refusalOf, replayInProgress, replayRefusal } from "../refusal-rules.ts";
import { healthAfterError, importRulesAt } from "../rules.ts";
import type { FailureStore, ReplayableFailure } from "../store/failures.ts";

type ReplayContext = ImportContext & { failures: FailureStore };
type ReplayAnswer = Answer<typeof operations.monitoring.replay>;

/**
 * Imports a call again whose import failed, even a call that the regular imports no longer look for. Leases the failure, so that a
 * killed process does not block later replays. Throws while another replay has the lease, and when the call cannot be imported.
 */
export async function replay(
  context: ReplayContext,
  signal: AbortSignal,
  project: { id: string; number: number },
  failureId: string,
): Promise<ReplayAnswer> {
  const { failures, calls, pace } = context;
  const before = await failures.find(project.id, failureId);
  if (!before) throw notFound();
  const leased = await failures.lease(before.failure, pace.replayLeaseMs);
  if (!leased) {
    const now = await failures.find(project.id, failureId);
    if (now?.failure.status !== "resolved") throw replayInProgress();
    return resolved(failureId, (await calls.findTraceId(project.id, now.failure.call_id))!, "already");
  }
  try {
    return await importLeased(context, signal, project, { ...before, failure: leased });
  } finally {
    await failures.release(leased);
    context.changed(project.id);
  }
}

async function importLeased(
  context: ReplayContext,
  signal: AbortSignal,
  project: { id: string; number: number },
  { failure, agent, setup }: ReplayableFailure,
): Promise<ReplayAnswer> {
  const { setups, calls, failures, intake, fetchRecording, log, pace, random } = context;
  try {
    const client = await clientOf(context, setup.id, signal);
    const parts = { client, intake, fetchRecording, log, setup, project, signal };
    const result = await importCall(parts, failure.call_id);
    if ("failure" in result) {
      await failures.updateKind(failure, result.failure);
      throw replayRefusal(result.failure);
    }
    const rules = importRulesAt({ nowMs: Date.now(), random: random(), pace });
    const written = await calls.recordResults(agent, [result], rules);
    return resolved(failure.id, result.traceId, written.has(failure.call_id) ? "written" : "already");
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const moment = { nowMs: Date.now(), random: random(), pace };
    await setups.updateHealth(setup, (health) => healthAfterError(health, error, moment));
    throw refusalOf(error, READ_HISTORY);
  }
}

const resolved = (failureId: string, traceId: string, write: "written" | "already"): ReplayAnswer => ({
  failure: { id: failureId, status: "resolved" },
  trace: { id: traceId, write },
});
