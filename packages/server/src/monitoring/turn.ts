import { every } from "../every.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Intake } from "../traces/intake.ts";
import { importCall } from "./import-call.ts";
import { inParallel } from "../in-parallel.ts";
import type { Pace } from "./pace.ts";
import type { PlatformAClient } from "./platform-a/client.ts";
import { PlatformFailure } from "./platform-a/failure.ts";
import { afterFailure, afterSuccess, decisionsAt, isLasting } from "./rules.ts";
import { nextScanMs, progressAfter, reachedAfter, scanDue } from "./scan-plan.ts";
import type { CallStore } from "./store/calls.ts";
import type { CallResult } from "./store/note-results.ts";
import { ofAgent, type ScanStore, type Turn } from "./store/scans.ts";
import type { SetupStore } from "./store/setups.ts";

export type Parts = {
  setups: SetupStore;
  scans: ScanStore;
  calls: CallStore;
  intake: Intake;
  log: Log;
  pace: Pace;
  random: () => number;
  openClient: (apiKey: string, signal: AbortSignal) => PlatformAClient;
};

/** More than the client asks for at once: some wait for the disk meanwhile. */
const READS_AT_ONCE = 8;
const READ_AGAIN_MAX = 20;

/**
 * One turn of an agent: a page of its scan, then the calls that are to be read again. It ends with the lease given back
 * and the next turn set, whatever happens; after `stop` at once, without a word about the platform.
 */
export async function takeTurn(parts: Parts, turn: Turn, stop: AbortSignal): Promise<void> {
  const { scans, pace } = parts;
  const lost = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal]);
  const ended = new AbortController();
  const loseLease = () => lost.abort();
  every(pace.leaseMs / 3, renewLease, ended.signal, loseLease);

  async function renewLease(): Promise<void> {
    if (!(await scans.renew(turn, Date.now() + pace.leaseMs))) loseLease();
  }

  let nextTurnMs: number;
  try {
    nextTurnMs = await work(parts, turn, signal);
  } catch (error) {
    nextTurnMs = signal.aborted ? Date.now() : await afterTrouble(parts, turn, error);
  } finally {
    ended.abort();
  }
  await scans.release(turn, nextTurnMs);
}

async function work(parts: Parts, turn: Turn, signal: AbortSignal): Promise<number> {
  const { setups, scans, pace } = parts;
  const client = await clientOf(parts, turn.setup.id, signal);

  const due = turn.agent.scan_done === 1 ? scanDue(turn.agent, Date.now(), pace) : undefined;
  const agent = due ? await scans.begin(turn, due) : turn.agent;
  if (!agent) return Date.now();
  const page = agent.scan_done === 0 ? await readPage(parts, { ...turn, agent }, client, signal) : undefined;
  if (page?.step === "lost") return Date.now();
  if (page) await setups.changeHealth(turn.setup, (health) => afterSuccess(health, Date.now()));
  const more = await readAgain(parts, turn, client, signal);
  return page?.step === "next" || more ? Date.now() : nextScanMs(page?.progress ?? agent, pace);
}

/** The platform under the setup's key. */
export async function clientOf({ setups, openClient }: Parts, setupId: string, signal: AbortSignal) {
  const apiKey = await setups.keyOf(setupId);
  if (apiKey === undefined)
    throw new PlatformFailure("credential_rejected", "No key that the service holds opens the stored one.");
  return openClient(apiKey, signal);
}

/** Imports what is new on the next page of the scan under way. */
async function readPage(parts: Parts, turn: Turn, client: PlatformAClient, signal: AbortSignal) {
  const { agent } = turn;
  const { calls: listed, nextKey } = await client
    .listCalls({
      agentId: agent.platform_agent_id,
      fromMs: agent.scan_from_ms!,
      toMs: agent.scan_to_ms!,
      endedFromMs: agent.scan_ended_from_ms ?? undefined,
      pageKey: agent.scan_page_key ?? undefined,
      limit: parts.pace.pageCalls,
    })
    .catch(async (error: unknown) => {
      // The page's key may have gone stale: the next scan begins anew, and knows what is imported.
      if (error instanceof PlatformFailure && isLasting(error.kind)) await parts.scans.giveUp(turn);
      throw error;
    });
  const of = ofAgent(turn);
  const callIds = listed.map(({ callId }) => callId);
  const unknown = await parts.calls.unknownAmong(of, callIds);
  const results: CallResult[] = [];
  try {
    await readCalls(parts, turn, client, unknown, signal, (result) => {
      results.push(result);
      if ("fault" in result && result.fault === "provider_unavailable")
        throw new PlatformFailure("unavailable", "The platform does not answer for a call.");
    });
  } catch (error) {
    await parts.calls.note(of, results, decisionsNow(parts));
    throw error;
  }
  const toMs = agent.scan_to_ms!;
  const starts = listed.map(({ startMs }) => startMs);
  const reachedMs = nextKey === undefined ? toMs : reachedAfter(agent.scan_reached_ms!, starts, toMs);
  const progress = progressAfter({ kind: agent.scan_kind!, toMs }, agent);
  const step = await parts.scans.checkpoint(turn, results, { nextKey, reachedMs, progress }, decisionsNow(parts));
  if (step === "repeated") {
    await parts.scans.giveUp(turn);
    throw new PlatformFailure("unreadable", "The platform's list leads back to a page that was read.");
  }
  return { step, progress };
}

/** Reads calls again that are due; answers whether more are. */
async function readAgain(parts: Parts, turn: Turn, client: PlatformAClient, signal: AbortSignal): Promise<boolean> {
  const of = ofAgent(turn);
  const callIds = await parts.calls.toReadAgain(of, Date.now(), READ_AGAIN_MAX);
  if (callIds.length === 0) return false;
  const results: CallResult[] = [];
  try {
    await readCalls(parts, turn, client, callIds, signal, (result) => void results.push(result));
  } finally {
    await parts.calls.note(of, results, decisionsNow(parts));
  }
  return callIds.length >= READ_AGAIN_MAX;
}

const readCalls = (
  { intake, log }: Parts,
  { project }: Turn,
  client: PlatformAClient,
  callIds: readonly string[],
  signal: AbortSignal,
  take: (result: CallResult) => void,
) =>
  inParallel(callIds, READS_AT_ONCE, async (callId) => {
    const result = await importCall({ client, intake, log }, project.number, callId);
    // A request that we broke off looks like an outage, and is none.
    if ("fault" in result) signal.throwIfAborted();
    take(result);
  });

/** When to go on after what stopped a turn; what the platform did is in the setup's health. */
async function afterTrouble({ setups, log, pace, random }: Parts, turn: Turn, error: unknown): Promise<number> {
  const nowMs = Date.now();
  const which = { setup_id: turn.setup.id, agent_id: turn.agent.id };
  if (error instanceof PlatformFailure) {
    log.warn({ ...which, kind: error.kind, reason: error.message }, "an import stopped at the platform");
    await setups.changeHealth(turn.setup, (health) => afterFailure(health, error, { nowMs, random: random(), pace }));
    return isLasting(error.kind) ? nowMs + pace.pollMs : nowMs;
  }
  if (error instanceof AppError) {
    log.warn({ ...which, reason: error.message }, "an import waits for the trace store");
    return nowMs + pace.backOffMs;
  }
  log.error({ ...which, err: error }, "an import failed");
  return nowMs + pace.backOffMaxMs;
}

const decisionsNow = ({ pace, random }: Parts) => decisionsAt({ nowMs: Date.now(), random: random(), pace });
