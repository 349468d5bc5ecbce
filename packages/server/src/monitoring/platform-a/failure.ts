import type { IncomingHttpHeaders } from "node:http";
import type { OutboundFailure, OutboundFault } from "../../outbound.ts";
import { retryAfterSecondsOf } from "../../retry-after.ts";

type PlatformFailureKind =
  | "credential_rejected"
  | "permission_missing"
  | "not_found"
  | "rate_limited"
  | "unavailable"
  | "unreadable"
  | "too_large";

/** Why the platform gave no usable answer, in our words: nothing that it sent is in here. */
export class PlatformFailure extends Error {
  readonly kind: PlatformFailureKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: PlatformFailureKind, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "PlatformFailure";
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const unreadable = (what: string) => new PlatformFailure("unreadable", `The platform's answer ${what}.`);

/** The failure that an answer's status stands for; undefined for success. */
export function failureOfStatus(
  status: number,
  headers: IncomingHttpHeaders,
  nowMs: number,
): PlatformFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const retryAfter = retryAfterSecondsOf(headers, nowMs);
  switch (status) {
    case 401:
      return new PlatformFailure("credential_rejected", "The platform does not accept the API key.");
    case 402:
      return new PlatformFailure("permission_missing", "The platform refuses the account: a payment is due.");
    case 403:
      return new PlatformFailure("permission_missing", "The API key may not read this on the platform.");
    case 404:
    case 422:
      return new PlatformFailure("not_found", "The platform knows nothing by this id under the API key.");
    case 429:
      return new PlatformFailure("rate_limited", "The platform asks for fewer requests.", retryAfter);
  }
  const isPassing = status >= 500 || status === 408 || status === 425;
  if (isPassing) return new PlatformFailure("unavailable", `The platform answered with status ${status}.`, retryAfter);
  return new PlatformFailure("unreadable", `The platform refused the request with status ${status}.`);
}

const KIND_OF: Record<OutboundFault, PlatformFailureKind> = {
  timeout: "unavailable",
  unreachable: "unavailable",
  forbidden_address: "unavailable",
  canceled: "unavailable",
  redirected: "unreadable",
  encoded: "unreadable",
  too_large: "too_large",
};

export const failureOfExchange = ({ fault, message }: OutboundFailure): PlatformFailure =>
  new PlatformFailure(KIND_OF[fault], `The platform at ${message}.`);
