import type { ErrorCode } from "@svc/contract/constants";

/**
 * The error of a call that the service refused or did not answer.
 *
 * `code` is stable: match on it and never on `message`. Besides the codes of `ERRORS` it can be `unreachable` (no answer
 * arrived) or `unexpected_answer` (the answer does not come from the service).
 */
export class SvcError extends Error {
  readonly code: ErrorCode | "unreachable" | "unexpected_answer";
  /** HTTP status; 0 when no answer arrived. */
  readonly status: number;
  /** Details of the error, by code; an empty object without any. */
  readonly details: Record<string, unknown>;
  /** Number of seconds to wait before a retry, from `Retry-After`; undefined without that header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(fault: {
    code: SvcError["code"];
    status: number;
    message: string;
    details?: Record<string, unknown> | undefined;
    retryAfterSeconds?: number | undefined;
    cause?: unknown;
  }) {
    super(fault.message, { cause: fault.cause });
    this.name = "SvcError";
    this.code = fault.code;
    this.status = fault.status;
    this.details = fault.details ?? {};
    this.retryAfterSeconds = fault.retryAfterSeconds;
  }
}
