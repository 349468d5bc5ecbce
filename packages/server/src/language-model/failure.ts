import type { IncomingHttpHeaders } from "node:http";
import { OutboundFailure } from "../outbound.ts";
import { retryAfterSecondsOf } from "../retry-after.ts";

/** Why a language model gave no usable answer. */
type LanguageModelFault =
  | "timeout"
  | "unreachable"
  | "rate_limited"
  | "overloaded"
  | "credential_rejected"
  | "request_rejected"
  | "malformed"
  | "canceled";

/** A language model's failure to answer. Its message quotes nothing that the model or its endpoint sent. */
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

/** Returns the failure of an answer in an unexpected form. */
export const malformed = (what: string) => new LanguageModelFailure("malformed", `sent ${what}.`);

/** Returns the failure that an HTTP status other than 200 means. */
export function failureOfStatus(status: number, headers: IncomingHttpHeaders): LanguageModelFailure {
  const seconds = retryAfterSecondsOf(headers);
  if (status === 429)
    return new LanguageModelFailure("rate_limited", "accepts no more requests for now (429).", seconds);
  if (status >= 500) return new LanguageModelFailure("overloaded", `failed to answer (${status}).`, seconds);
  if (status === 401 || status === 403)
    return new LanguageModelFailure("credential_rejected", `refuses the key (${status}); check SVC_LLM_API_KEY.`);
  return new LanguageModelFailure(
    "request_rejected",
    `refuses the request (${status}); check SVC_LLM_BASE_URL and SVC_LLM_MODEL.`,
  );
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

/** Returns the failure that an error of an outbound request means; throws any other error again. */
export function failureOf(error: unknown): LanguageModelFailure {
  if (error instanceof LanguageModelFailure) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  return new LanguageModelFailure(OUTBOUND[error.fault] ?? "unreachable", `did not answer: ${error.message}.`);
}

/** Returns whether another try may succeed, because the endpoint was busy or unreachable and the request is valid. */
export const isPassing = ({ fault }: LanguageModelFailure): boolean =>
  fault === "rate_limited" || fault === "overloaded" || fault === "unreachable";
