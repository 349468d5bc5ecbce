import type { ImportErrorKind, ImportState, MonitoringHealth } from "@svc/contract";
import type { z } from "zod";
import { AppError, notFound } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";
import type { Pace } from "./pace.ts";
import type { PlatformFailure } from "./platform-a/failure.ts";

export type Trouble = Pick<PlatformFailure, "kind" | "retryAfterSeconds">;
type TroubleKind = PlatformFailure["kind"];

export type Health = {
  state: z.output<typeof MonitoringHealth>["state"];
  blockedUntilMs: number | null;
  consecutiveFailures: number;
  lastErrorMs: number | null;
  lastRecoveredMs: number | null;
};

/** When something happens: the clock and the dice are handed in. */
type Moment = { nowMs: number; random: number; pace: Pace };

const HEALTH_AFTER: Record<TroubleKind, Health["state"]> = {
  credential_rejected: "invalid_credential",
  permission_missing: "invalid_credential",
  rate_limited: "rate_limited",
  not_found: "provider_unavailable",
  unavailable: "provider_unavailable",
  unreadable: "provider_unavailable",
  too_large: "provider_unavailable",
};

export function afterFailure(health: Health, trouble: Trouble, { nowMs, random, pace }: Moment): Health {
  const state = HEALTH_AFTER[trouble.kind];
  const { retryAfterSeconds } = trouble;
  const backOffMs = doubled(pace.backOffMs, health.consecutiveFailures, pace.backOffMaxMs) * (0.5 + random / 2);
  const asked = state === "rate_limited" && retryAfterSeconds !== undefined;
  const waitMs = state === "invalid_credential" ? pace.reprobeMs : asked ? retryAfterSeconds * 1_000 : backOffMs;
  return {
    ...health,
    state,
    blockedUntilMs: nowMs + Math.ceil(waitMs),
    consecutiveFailures: health.consecutiveFailures + 1,
    lastErrorMs: nowMs,
  };
}

/** The same object while nothing changes. */
export function afterSuccess(health: Health, nowMs: number): Health {
  if (health.state === "healthy") return health;
  return { ...health, state: "healthy", blockedUntilMs: null, consecutiveFailures: 0, lastRecoveredMs: nowMs };
}

export function importStateOf(agent: { firstIsDone: boolean; openFailures: number }): z.output<typeof ImportState> {
  if (!agent.firstIsDone) return "importing";
  return agent.openFailures > 0 ? "degraded" : "active";
}

/** What a trouble means to the call that was asked for; the others concern the key and stop a scan. */
const OF_CALL: Partial<Record<TroubleKind, ImportErrorKind>> = {
  not_found: "not_found",
  unreadable: "unreadable",
  too_large: "too_large",
  unavailable: "provider_unavailable",
};

export const callFaultOf = (kind: TroubleKind): ImportErrorKind | undefined => OF_CALL[kind];

/** Whether the same request would meet the same again. */
export const isLasting = (kind: TroubleKind): boolean =>
  kind === "not_found" || kind === "unreadable" || kind === "too_large";

/** So often a call alone answers nothing, while the list answers, before that is taken for its own fault. */
const UNAVAILABLE_ATTEMPTS = 5;

export type Attempt = {
  kind: ImportErrorKind;
  /** This one included. */
  attempts: number;
  wasOpen: boolean;
  firstSeenMs: number;
  /** Of the call, when it is known. */
  endedMs: number | undefined;
};

/** Whether a call that could not be imported waits or is an open failure, and when it is tried again. */
export function afterAttempt(attempt: Attempt, { nowMs, random, pace }: Moment) {
  const { kind, attempts, wasOpen, firstSeenMs, endedMs = firstSeenMs } = attempt;
  // The longer it has failed, the longer the next attempt waits.
  const retryMs = Math.min(Math.max(nowMs - firstSeenMs, pace.retryMs), pace.retryMaxMs) * (0.75 + random / 2);
  const mayCome =
    (kind === "conversation_incomplete" && nowMs - endedMs < pace.graceMs) ||
    (kind === "provider_unavailable" && attempts < UNAVAILABLE_ATTEMPTS);
  const waits = mayCome && !wasOpen;
  return {
    status: waits ? ("waiting" as const) : ("open" as const),
    nextAttemptMs: nowMs + Math.ceil(waits ? Math.min(retryMs, pace.pollMs) : retryMs),
  };
}

/** When a call that was imported without an analysis is looked at again; null when there is nothing to wait for. */
export function lookAgainMs(
  call: { analysisSeen: boolean; looks: number; endedMs: number | undefined },
  { nowMs, pace }: Moment,
): number | null {
  const waitMs = pace.looksMs[call.looks];
  const longAgo = call.endedMs !== undefined && nowMs - call.endedMs > pace.looksMs.at(-1)!;
  return call.analysisSeen || waitMs === undefined || longAgo ? null : nowMs + waitMs;
}

/** What is decided about calls inside the store's transaction. */
export type Decisions = ReturnType<typeof decisionsAt>;

export const decisionsAt = (moment: Moment) => ({
  nowMs: moment.nowMs,
  failure: (attempt: Attempt) => afterAttempt(attempt, moment),
  lookAgainMs: (call: Parameters<typeof lookAgainMs>[0]) => lookAgainMs(call, moment),
});

const doubled = (ms: number, times: number, maxMs: number) => Math.min(ms * 2 ** Math.min(times, 30), maxMs);

const KEY_NEEDS = "the permissions to read agents and call history";

/** What a person is told whose request the platform did not let through; none of the platform's own words. */
export function refusalOf(trouble: Trouble, asked: { right: string; agentId?: string | undefined }): AppError {
  const { kind, retryAfterSeconds } = trouble;
  if (kind === "credential_rejected")
    return new AppError(
      "unprocessable",
      `platform_a does not take this API key: it is unknown or revoked there. Send one with ${KEY_NEEDS}.`,
    );
  if (kind === "permission_missing")
    return new AppError(
      "unprocessable",
      `The API key lacks the permission to ${asked.right} on platform_a. Grant it there, or send a key with ${KEY_NEEDS}.`,
      { permission: asked.right },
    );
  if (kind === "not_found" && asked.agentId !== undefined)
    return new AppError(
      "unprocessable",
      `platform_a has no voice agent ${JSON.stringify(asked.agentId)} that this key sees; discover lists those that may be chosen.`,
      { agent: asked.agentId },
    );
  if (kind === "rate_limited") {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds ?? 10));
    return new AppError("too_many_requests", `platform_a limits the key's requests; wait ${seconds} s.`, undefined, {
      retryAfterSeconds: seconds,
    });
  }
  return new AppError("provider_unavailable", "platform_a gives no usable answer now; try again.", undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds ?? 5)),
  });
}

const REPLAY_MESSAGES: Partial<Record<ImportErrorKind, string>> = {
  conversation_incomplete: "platform_a does not have the whole conversation yet; replay it later.",
  not_found: "platform_a has this call no longer; it may have been deleted there.",
  unreadable: "What platform_a answers for this call cannot be read; replay it later.",
  too_large: "What platform_a answers for this call is larger than the service reads.",
};

/** Why a replay brought no conversation; a fault of ours is one here too. */
export function replayRefusal(kind: ImportErrorKind): Error {
  if (kind === "provider_unavailable") return refusalOf({ kind: "unavailable", retryAfterSeconds: undefined }, READING);
  const message = REPLAY_MESSAGES[kind];
  if (message === undefined) return new Error("a replayed call could not be turned into stored spans");
  return new AppError("conversation_incomplete", message, { error_kind: kind });
}

export const READING = { right: "read call history" };

export const replayInProgress = () =>
  new AppError("replay_in_progress", "Another retry of this failure is under way; look at it again in a minute.");

export type AgentPlatform = Schema["monitoring_setups"]["agent_platform"];

/** The platform by its name in a path. */
export function platformNamed(name: string): AgentPlatform {
  if (name === "platform_a") return "platform_a";
  if (name === "platform_b-agents") return "platform_b_agents";
  throw notFound();
}
