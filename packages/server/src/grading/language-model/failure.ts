import type { IncomingHttpHeaders } from "node:http";
import { OutboundFailure } from "../../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../../base/net/retry-after.ts";

type LanguageModelFault =
  | "timeout"
  | "unreachable"
  | "rate_limited"
  | "quota_exhausted"
  | "overloaded"
  | "credential_rejected"
  | "request_rejected"
  | "malformed"
  | "canceled";

/** Error of a request to a language model. The message contains no text that the model or its endpoint sent. */
export class LanguageModelFailure extends Error {
  readonly fault: LanguageModelFault;
  readonly retryAfterSeconds: number | undefined;

  constructor(fault: LanguageModelFault, message: string, retryAfterSeconds?: number) {
    super(`The language model ${message}`);
    this.name = "LanguageModelFailure";
    this.fault = fault;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const malformed = (what: string) => new LanguageModelFailure("malformed", `sent ${what}.`);

export function failureOfStatus(status: number, headers: IncomingHttpHeaders, body: Buffer): LanguageModelFailure {
  if (status === 402 || (status === 429 && isQuotaExhausted(body))) {
    const remedy = "add credit to the account of its key, or raise its limit";
    return new LanguageModelFailure("quota_exhausted", `has no quota left (${status}); ${remedy}.`);
  }
  const seconds = retryAfterSecondsOf(headers);
  if (status === 429)
    return new LanguageModelFailure("rate_limited", "accepts no more requests for now (429).", seconds);
  if (status >= 500) return new LanguageModelFailure("overloaded", `failed to answer (${status}).`, seconds);
  if (status === 401 || status === 403)
    return new LanguageModelFailure("credential_rejected", `refuses the key (${status}); check its key.`);
  return new LanguageModelFailure(
    "request_rejected",
    `refuses the request (${status}); check its address and its name.`,
  );
}

/** Returns whether the body of a 429 reports that waiting does not help, in the form of the OpenAI API. */
function isQuotaExhausted(body: Buffer): boolean {
  try {
    const { error } = JSON.parse(body.toString("utf8")) as { error?: { code?: unknown; type?: unknown } };
    return [error?.code, error?.type].some(
      (word) => word === "insufficient_quota" || word === "billing_hard_limit_reached",
    );
  } catch {
    return false;
  }
}

const OUTBOUND: Partial<Record<OutboundFailure["fault"], LanguageModelFault>> = {
  timeout: "timeout",
  canceled: "canceled",
  too_large: "malformed",
  encoded: "malformed",
  not_http: "malformed",
  redirected: "request_rejected",
  forbidden_address: "request_rejected",
  private_address: "request_rejected",
};

export function failureOf(error: unknown): LanguageModelFailure {
  if (error instanceof LanguageModelFailure) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  return new LanguageModelFailure(OUTBOUND[error.fault] ?? "unreachable", `did not answer: ${error.message}.`);
}

/** Returns whether another attempt may succeed. */
export const isPassing = ({ fault }: LanguageModelFailure): boolean =>
  fault === "rate_limited" || fault === "overloaded" || fault === "unreachable";
