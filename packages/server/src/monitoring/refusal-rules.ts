import type { ImportErrorKind } from "@svc/contract";
import { AppError, notFound } from "../base/errors.ts";
import type { Schema } from "../stores/schema.ts";
import type { PlatformError } from "./platform-a/platform-error.ts";

type PlatformRequest = { permission: string; agentId?: string | undefined };

export const READ_HISTORY: PlatformRequest = { permission: "read call history" };

const KEY_NEEDS = "the permissions to read agents and call history";

export function refusalOf(
  { kind, retryAfterSeconds }: Pick<PlatformError, "kind" | "retryAfterSeconds">,
  { permission, agentId }: PlatformRequest,
): AppError {
  if (kind === "credential_rejected")
    return new AppError(
      "unprocessable",
      `Retell does not accept this API key: it is unknown or revoked there. Send a key with ${KEY_NEEDS}.`,
    );
  if (kind === "permission_missing")
    return new AppError(
      "unprocessable",
      `The API key lacks the permission to ${permission} on Retell. Grant it there, or send a key with ${KEY_NEEDS}.`,
      { permission },
    );
  if (kind === "not_found" && agentId !== undefined)
    return new AppError(
      "unprocessable",
      `This key cannot read a voice agent ${JSON.stringify(agentId)} on Retell. Use discover to list the agents that it can read.`,
      { agent: agentId },
    );
  if (kind === "rate_limited") {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds ?? 10));
    return new AppError(
      "too_many_requests",
      `Retell limits the requests of this key. Try again after ${seconds} s.`,
      undefined,
      { retryAfterSeconds: seconds },
    );
  }
  return new AppError("provider_unavailable", "Retell gives no usable answer at the moment. Try again.", undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds ?? 5)),
  });
}

const REPLAY_MESSAGES: Partial<Record<ImportErrorKind, string>> = {
  conversation_incomplete: "Retell does not have the whole conversation yet. Replay it later.",
  not_found: "Retell no longer has this call; it may have been deleted there.",
  unreadable: "Retell's answer for this call cannot be read. Replay it later.",
  too_large: "Retell's answer for this call is larger than the service reads.",
};

/** Returns the error of a replay that imported no conversation: an `AppError`, or another error when the service itself failed. */
export function replayRefusal(kind: ImportErrorKind): Error {
  if (kind === "provider_unavailable")
    return refusalOf({ kind: "unavailable", retryAfterSeconds: undefined }, READ_HISTORY);
  const message = REPLAY_MESSAGES[kind];
  if (message === undefined) return new Error("the spans of a replayed call could not be stored");
  return new AppError("conversation_incomplete", message, { error_kind: kind });
}

export const replayInProgress = () =>
  new AppError("replay_in_progress", "Another replay of this failure is in progress. Look at it again in a minute.");

export type MonitoredPlatform = Schema["monitoring_setups"]["agent_platform"];

export function platformNamed(name: string): MonitoredPlatform {
  if (name === "platform_a") return "platform_a";
  if (name === "platform_b-agents") return "platform_b_agents";
  throw notFound();
}
