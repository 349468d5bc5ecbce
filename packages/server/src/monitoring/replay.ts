import type { Answer, operations } from "@svc/contract";
import { notFound } from "../errors.ts";
import { importCall } from "./import-call.ts";
import { PlatformFailure } from "./platform-a/failure.ts";
import { afterFailure, decisionsAt, READING, refusalOf, replayInProgress, replayRefusal } from "./rules.ts";
import type { Replay } from "./store/calls.ts";
import { clientOf, type Parts } from "./turn.ts";

type Replayed = Answer<typeof operations.monitoring.replay>;

/** Imports the call of a failure again, under a lease that lapses by itself; how old the call is does not matter. */
export async function replay(
  parts: Parts,
  signal: AbortSignal,
  projectId: string,
  failureId: string,
): Promise<Replayed> {
  const { calls, pace } = parts;
  const before = await calls.failure(projectId, failureId);
  if (!before) throw notFound();
  const taken = await calls.takeReplay(before.failure, Date.now(), pace.replayLeaseMs);
  if (!taken) {
    const now = await calls.failure(projectId, failureId);
    if (now?.failure.status !== "resolved") throw replayInProgress();
    return resolved(failureId, (await calls.traceOf(projectId, now.failure.call_id))!, "already");
  }
  const held = { ...before, failure: taken };
  try {
    return await importHeld(parts, signal, held);
  } finally {
    await calls.releaseReplay(taken);
  }
}

async function importHeld(
  parts: Parts,
  signal: AbortSignal,
  { failure, of, project, setup }: Replay,
): Promise<Replayed> {
  const { setups, calls, intake, log, pace, random } = parts;
  try {
    const client = await clientOf(parts, setup.id, signal);
    const result = await importCall({ client, intake, log }, project.number, failure.call_id);
    if ("fault" in result) {
      await calls.noteReplayFault(failure, result.fault);
      throw replayRefusal(result.fault);
    }
    const moment = { nowMs: Date.now(), random: random(), pace };
    const written = await calls.note(of, [result], decisionsAt(moment));
    return resolved(failure.id, result.traceId, written.has(failure.call_id) ? "written" : "already");
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    const moment = { nowMs: Date.now(), random: random(), pace };
    await setups.changeHealth(setup, (health) => afterFailure(health, error, moment));
    throw refusalOf(error, READING);
  }
}

const resolved = (failureId: string, traceId: string, write: "written" | "already"): Replayed => ({
  failure: { id: failureId, status: "resolved" },
  trace: { id: traceId, write },
});
