import type { ErrorCode } from "@svc/contract/constants";

/** The facts of a failed call. */
export type Fault = {
  code: SvcError["code"];
  status: number;
  message: string;
  details?: Record<string, unknown> | undefined;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
  address?: string | undefined;
  reason?: string | undefined;
  timeoutMs?: number | undefined;
  cause?: unknown;
};

/**
 * The error of a call that the service refused or did not answer.
 *
 * `code` is stable: match on it and never on `message`. Besides the codes of `ERRORS` it can be `unreachable` (no answer
 * arrived) or `unexpected_answer` (the answer does not come from the service, but from a proxy or another server).
 */
export class SvcError extends Error {
  readonly code: ErrorCode | "unreachable" | "unexpected_answer";
  /** HTTP status; 0 when no answer arrived. */
  readonly status: number;
  /** Details of the error, by code; an empty object without any. */
  readonly details: Record<string, unknown>;
  /** Number of seconds to wait before a retry, from `Retry-After`; undefined without that header. */
  readonly retryAfterSeconds: number | undefined;
  /** The answer's `X-Request-Id`, under which the service's log has the request; undefined without an answer of the service. */
  readonly requestId: string | undefined;
  /** The address of the call, without its query. */
  readonly address: string | undefined;
  /**
   * Why no answer arrived: `timeout`, or the runtime's code, such as `ECONNREFUSED`, `ENOTFOUND` or `CERT_HAS_EXPIRED`. Undefined when
   * an answer arrived, and in browsers, which do not say it.
   */
  readonly reason: string | undefined;
  /** The time limit in milliseconds that the call exceeded; undefined after any other failure. */
  readonly timeoutMs: number | undefined;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.name = "SvcError";
    this.code = fault.code;
    this.status = fault.status;
    this.details = fault.details ?? {};
    this.retryAfterSeconds = fault.retryAfterSeconds;
    this.requestId = fault.requestId;
    this.address = fault.address;
    this.reason = fault.reason;
    this.timeoutMs = fault.timeoutMs;
  }
}
