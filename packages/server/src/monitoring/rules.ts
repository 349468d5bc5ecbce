import type { ImportErrorKind, ImportState, MonitoringHealth } from "@svc/contract";
import type { z } from "zod";
import type { Pace } from "./platform-a/pace.ts";
import type { PlatformError } from "./platform-a/platform-error.ts";

type PlatformErrorKind = PlatformError["kind"];

export type SetupHealth = {
  state: z.output<typeof MonitoringHealth>["state"];
  blockedUntilMs: number | null;
  consecutiveFailures: number;
  lastErrorMs: number | null;
  lastRecoveredMs: number | null;
};

type Moment = { nowMs: number; random: number; pace: Pace };

const STATE_AFTER: Record<PlatformErrorKind, SetupHealth["state"]> = {
  credential_rejected: "invalid_credential",
  permission_missing: "invalid_credential",
  rate_limited: "rate_limited",
  not_found: "provider_unavailable",
  unavailable: "provider_unavailable",
  unreadable: "provider_unavailable",
  too_large: "provider_unavailable",
};

export function healthAfterError(
  health: SetupHealth,
  { kind, retryAfterSeconds }: Pick<PlatformError, "kind" | "retryAfterSeconds">,
  { nowMs, random, pace }: Moment,
): SetupHealth {
  const state = STATE_AFTER[kind];
  const backOffMs = doubled(pace.backOffMs, health.consecutiveFailures, pace.backOffMaxMs) * (0.5 + random / 2);
  const hasWait = state === "rate_limited" && retryAfterSeconds !== undefined;
  const waitMs = state === "invalid_credential" ? pace.reprobeMs : hasWait ? retryAfterSeconds * 1_000 : backOffMs;
  return {
    ...health,
    state,
    blockedUntilMs: nowMs + Math.ceil(waitMs),
    consecutiveFailures: health.consecutiveFailures + 1,
    lastErrorMs: nowMs,
  };
}

export function healthAfterSuccess(health: SetupHealth, nowMs: number): SetupHealth {
  if (health.state === "healthy") return health;
  return { ...health, state: "healthy", blockedUntilMs: null, consecutiveFailures: 0, lastRecoveredMs: nowMs };
}

export function importStateOf(agent: { firstIsDone: boolean; openFailures: number }): z.output<typeof ImportState> {
  if (!agent.firstIsDone) return "importing";
  return agent.openFailures > 0 ? "degraded" : "active";
}

const FAILURE_OF: Partial<Record<PlatformErrorKind, ImportErrorKind>> = {
  not_found: "not_found",
  unreadable: "unreadable",
  too_large: "too_large",
  unavailable: "provider_unavailable",
};

/**
 * Returns the reason why the import of a call failed; undefined for an error that does not concern the call. Such an error stops the whole
 * scan.
 */
export const failureKindOf = (kind: PlatformErrorKind): ImportErrorKind | undefined => FAILURE_OF[kind];

export const isLasting = (kind: PlatformErrorKind): boolean =>
  kind === "not_found" || kind === "unreadable" || kind === "too_large";

/**
 * The import of a call counts as failed after this number of requests for the call that the platform did not answer, within about two
 * minutes. While lists of calls can be read, the cause is probably the call itself.
 */
const UNAVAILABLE_ATTEMPTS = 7;

/**
 * This number of requests for calls in a row without an answer means an outage of the platform. The number is greater than the number of
 * simultaneous requests, because one short interruption can make all simultaneous requests fail.
 */
const OUTAGE_READS = 6;

/** Results of the reads of calls in one step: whether a read succeeded, and how many reads got no answer since the last success. */
export type ReadRun = { hasSucceeded: boolean; unansweredInARow: number };

export const NO_READS: ReadRun = { hasSucceeded: false, unansweredInARow: 0 };

/** Adds the result of a read. An error that the platform answered, such as `not_found`, neither counts towards an outage nor ends one. */
export function afterRead(run: ReadRun, error: PlatformErrorKind | undefined): ReadRun {
  if (error === undefined) return { hasSucceeded: true, unansweredInARow: 0 };
  return error === "unavailable" ? { ...run, unansweredInARow: run.unansweredInARow + 1 } : run;
}

/**
 * Returns the health of a setup after an error that stopped a scan. The pause before the next scan grows with each such error, until a read
 * succeeds.
 */
export const healthAfterStop = (
  health: SetupHealth,
  { hasSucceeded }: ReadRun,
  error: Parameters<typeof healthAfterError>[1],
  moment: Moment,
): SetupHealth => healthAfterError(hasSucceeded ? healthAfterSuccess(health, moment.nowMs) : health, error, moment);

export const isOutage = ({ unansweredInARow }: ReadRun): boolean => unansweredInARow >= OUTAGE_READS;

export type FailedAttempt = {
  kind: ImportErrorKind;
  /** Number of attempts to import the call, including this one. */
  attempts: number;
  wasOpen: boolean;
  firstSeenMs: number;
  endedMs: number | undefined;
};

type RetryDecision = { status: "waiting" | "open"; nextAttemptMs: number };

export function afterFailedAttempt(attempt: FailedAttempt, { nowMs, random, pace }: Moment): RetryDecision {
  const { kind, attempts, wasOpen, firstSeenMs, endedMs = firstSeenMs } = attempt;
  const retryMs = Math.min(Math.max(nowMs - firstSeenMs, pace.retryMs), pace.retryMaxMs) * (0.75 + random / 2);
  const waiting = (waitMs: number): RetryDecision => ({
    status: "waiting",
    nextAttemptMs: nowMs + Math.ceil(Math.min(waitMs, pace.pollMs)),
  });
  if (!wasOpen && kind === "conversation_incomplete" && nowMs - endedMs < pace.graceMs) return waiting(retryMs);
  if (!wasOpen && kind === "provider_unavailable" && attempts < UNAVAILABLE_ATTEMPTS)
    return waiting(doubled(pace.backOffMs, attempts - 1, pace.pollMs) * (0.75 + random / 2));
  return { status: "open", nextAttemptMs: nowMs + Math.ceil(retryMs) };
}

/**
 * Returns when an imported call is read again to get its analysis, in Unix milliseconds; null when the analysis is present or no longer
 * expected.
 */
export function nextReadMs(
  call: { hasAnalysis: boolean; rereads: number; endedMs: number | undefined },
  { nowMs, pace }: Pick<Moment, "nowMs" | "pace">,
): number | null {
  const waitMs = pace.rereadMs[call.rereads];
  const endedLongAgo = call.endedMs !== undefined && nowMs - call.endedMs > pace.rereadMs.at(-1)!;
  return call.hasAnalysis || waitMs === undefined || endedLongAgo ? null : nowMs + waitMs;
}

/** Rules of imports at one moment. A store calls them inside its transaction. */
export type ImportRules = {
  nowMs: number;
  afterFailedAttempt: (attempt: FailedAttempt) => RetryDecision;
  nextReadMs: (call: Parameters<typeof nextReadMs>[0]) => number | null;
};

export const importRulesAt = (moment: Moment): ImportRules => ({
  nowMs: moment.nowMs,
  afterFailedAttempt: (attempt) => afterFailedAttempt(attempt, moment),
  nextReadMs: (call) => nextReadMs(call, moment),
});

const doubled = (ms: number, times: number, maxMs: number) => Math.min(ms * 2 ** Math.min(times, 30), maxMs);
