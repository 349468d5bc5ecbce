import { every } from "../../base/async/every.ts";
import { AppError } from "../../base/errors.ts";
import { inParallel } from "../../base/async/in-parallel.ts";
import { importCall } from "./import-call.ts";
import { clientOf, type ImportContext } from "./import-context.ts";
import type { PlatformAClient } from "./client.ts";
import { PlatformError } from "./platform-error.ts";
import {
  afterRead,
  healthAfterStop,
  healthAfterSuccess,
  importRulesAt,
  isLasting,
  isOutage,
  NO_READS,
  type ReadRun,
} from "../rules.ts";
import { nextScanMs, progressAfter, reachedAfter, scanDue } from "./scan-plan.ts";
import type { ImportResult } from "../store/record-results.ts";
import { agentIdsOf, type ScanLease } from "../store/scans.ts";

/**
 * Largest number of simultaneous reads of calls. It is greater than the number of requests that the client sends at once, because some
 * reads wait for the disk.
 */
const READS_AT_ONCE = 8;
const READ_AGAIN_MAX = 20;

/** The results of the reads of calls in one step. `run` is replaced after each read. */
type Reads = { run: ReadRun };

type ScanStep = {
  context: ImportContext;
  lease: ScanLease;
  client: PlatformAClient;
  reads: Reads;
  signal: AbortSignal;
};

/**
 * Imports one page of the agent's scan, then the calls that are due to be read again. Always releases the lease and sets the time of the
 * agent's next step. When `stop` aborts, ends immediately and does not change the setup's health.
 */
export async function runScanStep(context: ImportContext, lease: ScanLease, stop: AbortSignal): Promise<void> {
  const { scans, pace } = context;
  const lost = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal]);
  const ended = new AbortController();
  const loseLease = () => lost.abort();
  const renewing = every(pace.leaseMs / 3, renewLease, ended.signal, loseLease);

  async function renewLease(): Promise<void> {
    if (!(await scans.renew(lease, pace.leaseMs))) loseLease();
  }

  const reads: Reads = { run: NO_READS };
  let nextStepMs: number;
  try {
    const client = countingReads(await clientOf(context, lease.setup.id, signal), reads);
    nextStepMs = await importDueCalls({ context, lease, client, reads, signal });
  } catch (error) {
    nextStepMs = signal.aborted ? Date.now() : await afterError(context, lease, reads, error);
  } finally {
    ended.abort();
    // A renewal that reaches the store after the release would lease the agent again.
    await renewing.idle();
  }
  await scans.release(lease, nextStepMs);
  context.changed(agentIdsOf(lease).projectId);
}

/** Returns a client that records each read of a call in `reads` when the answer arrives, before the call is stored. */
const countingReads = (client: PlatformAClient, reads: Reads): PlatformAClient => ({
  ...client,
  async getCall(callId) {
    try {
      const call = await client.getCall(callId);
      reads.run = afterRead(reads.run, undefined);
      return call;
    } catch (error) {
      if (error instanceof PlatformError) reads.run = afterRead(reads.run, error.kind);
      throw error;
    }
  },
});

async function importDueCalls(step: ScanStep): Promise<number> {
  const { context, lease } = step;
  const { setups, scans, calls, pace } = context;
  const due = lease.agent.scan_done === 1 ? scanDue(lease.agent, Date.now(), pace) : undefined;
  const agent = due ? await scans.begin(lease, due) : lease.agent;
  if (!agent) return Date.now();
  const page = agent.scan_done === 0 ? await importPage({ ...step, lease: { ...lease, agent } }) : undefined;
  if (page?.outcome === "lost") return Date.now();
  if (page) await setups.updateHealth(lease.setup, (health) => healthAfterSuccess(health, Date.now()));
  const hasMore = await readAgain(step);
  if (page?.outcome === "next" || hasMore) return Date.now();
  const retryMs = await calls.findNextRetryMs(agentIdsOf(lease));
  const scanMs = nextScanMs(page?.progress ?? agent, pace);
  return retryMs === undefined ? scanMs : Math.min(scanMs, Math.max(retryMs, Date.now() + pace.tickMs));
}

async function importPage(step: ScanStep) {
  const { context, lease, client } = step;
  const { scans, calls, pace } = context;
  const { agent } = lease;
  const { calls: listed, nextKey } = await client
    .listCalls({
      agentId: agent.platform_agent_id,
      fromMs: agent.scan_from_ms!,
      toMs: agent.scan_to_ms!,
      endedFromMs: agent.scan_ended_from_ms ?? undefined,
      pageKey: agent.scan_page_key ?? undefined,
      limit: pace.pageCalls,
    })
    .catch(async (error: unknown) => {
      // The pagination key may have expired. The next scan starts without a pagination key, and skips calls that are imported already.
      if (error instanceof PlatformError && isLasting(error.kind)) await scans.abandon(lease);
      throw error;
    });
  const agentIds = agentIdsOf(lease);
  const callIds = listed.map(({ callId }) => callId);
  const results: ImportResult[] = [];
  try {
    await importCalls(step, await calls.listNew(agentIds, callIds), results);
  } catch (error) {
    await calls.recordResults(agentIds, results, rulesNow(context));
    throw error;
  }
  const toMs = agent.scan_to_ms!;
  const starts = listed.map(({ startMs }) => startMs);
  const reachedMs = nextKey === undefined ? toMs : reachedAfter(agent.scan_reached_ms!, starts, toMs);
  const progress = progressAfter({ kind: agent.scan_kind!, toMs }, agent);
  const outcome = await scans.recordPage(lease, results, { nextKey, reachedMs, progress }, rulesNow(context));
  if (outcome === "repeated") {
    await scans.abandon(lease);
    throw new PlatformError("unreadable", "The platform's list returns to a page that was already read.");
  }
  return { outcome, progress };
}

async function readAgain(step: ScanStep): Promise<boolean> {
  const { context, lease } = step;
  const { calls } = context;
  const agentIds = agentIdsOf(lease);
  const callIds = await calls.listDue(agentIds, Date.now(), READ_AGAIN_MAX);
  if (callIds.length === 0) return false;
  const results: ImportResult[] = [];
  try {
    await importCalls(step, callIds, results);
  } finally {
    await calls.recordResults(agentIds, results, rulesNow(context));
  }
  return callIds.length >= READ_AGAIN_MAX;
}

/** Imports the calls and adds the result of each call to `results`. Throws when the reads show an outage of the platform. */
const importCalls = (
  { context: { intake, fetchRecording, log, readCounts }, lease, client, reads, signal }: ScanStep,
  callIds: readonly string[],
  results: ImportResult[],
) =>
  inParallel(callIds, READS_AT_ONCE, async (callId) => {
    const project = { id: lease.projectId, number: lease.projectNumber };
    const result = await importCall(
      { client, intake, fetchRecording, log, setup: lease.setup, project, signal },
      callId,
    );
    // A request that this process canceled fails like a request without an answer.
    if ("failure" in result) signal.throwIfAborted();
    readCounts.add("failure" in result ? result.failure : "stored");
    results.push(result);
    if (isOutage(reads.run)) throw new PlatformError("unavailable", "The platform answers for no call any more.");
  });

/**
 * Returns the time at which the agent's next step is due after an error, in Unix milliseconds. Records an error of the platform in the
 * setup's health.
 */
async function afterError(
  { setups, log, pace, random }: ImportContext,
  { setup, agent }: ScanLease,
  { run }: Reads,
  error: unknown,
): Promise<number> {
  const nowMs = Date.now();
  const fields = { setup_id: setup.id, agent_id: agent.id };
  if (error instanceof PlatformError) {
    log.warn({ ...fields, kind: error.kind, reason: error.message }, "an import stopped at the platform");
    const moment = { nowMs, random: random(), pace };
    await setups.updateHealth(setup, (health) => healthAfterStop(health, run, error, moment));
    return isLasting(error.kind) ? nowMs + pace.pollMs : nowMs;
  }
  if (error instanceof AppError) {
    log.warn({ ...fields, reason: error.message }, "an import waits for the trace store");
    return nowMs + pace.backOffMs;
  }
  log.error({ ...fields, err: error }, "an import failed");
  return nowMs + pace.backOffMaxMs;
}

const rulesNow = ({ pace, random }: ImportContext) => importRulesAt({ nowMs: Date.now(), random: random(), pace });
