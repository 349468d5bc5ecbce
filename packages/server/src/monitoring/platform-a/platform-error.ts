import type { IncomingHttpHeaders } from "node:http";
import type { OutboundFailure, OutboundFault } from "../../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../../base/net/retry-after.ts";

type PlatformErrorKind =
  | "credential_rejected"
  | "permission_missing"
  | "not_found"
  | "rate_limited"
  | "unavailable"
  | "unreadable"
  | "too_large";

/** An error of the platform. The message quotes nothing from the platform's answer. */
export class PlatformError extends Error {
  readonly kind: PlatformErrorKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: PlatformErrorKind, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "PlatformError";
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** `problem` completes the sentence "The platform's answer …". */
export const unreadable = (problem: string) => new PlatformError("unreadable", `The platform's answer ${problem}.`);

export function errorOfStatus(status: number, headers: IncomingHttpHeaders, nowMs: number): PlatformError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const retryAfter = retryAfterSecondsOf(headers, nowMs);
  switch (status) {
    case 401:
      return new PlatformError("credential_rejected", "The platform does not accept the API key.");
    case 402:
      return new PlatformError("permission_missing", "The platform refuses the account: a payment is due.");
    case 403:
      return new PlatformError("permission_missing", "The API key may not read this on the platform.");
    case 404:
    case 422:
      return new PlatformError("not_found", "The platform finds nothing by this id under the API key.");
    case 429:
      return new PlatformError("rate_limited", "The platform asks for fewer requests.", retryAfter);
  }
  const isTemporary = status >= 500 || status === 408 || status === 425;
  if (isTemporary) return new PlatformError("unavailable", `The platform answered with status ${status}.`, retryAfter);
  return new PlatformError("unreadable", `The platform refused the request with status ${status}.`);
}

const KIND_OF: Record<OutboundFault, PlatformErrorKind> = {
  timeout: "unavailable",
  unreachable: "unavailable",
  forbidden_address: "unavailable",
  private_address: "unavailable",
  canceled: "unavailable",
  tls: "unavailable",
  not_http: "unreadable",
  redirected: "unreadable",
  encoded: "unreadable",
  too_large: "too_large",
};

export const errorOfExchange = ({ fault, message }: OutboundFailure): PlatformError =>
  new PlatformError(KIND_OF[fault], `The platform at ${message}.`);
