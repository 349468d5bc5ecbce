import type { ErrorCode } from "@svc/contract/constants";

/** Arguments of the constructor of `SvcError`. */
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
 * Error of a call that the service rejected or did not answer.
 *
 * `code` is stable: match on `code` and never on `message`. It is a code of `ERRORS`, `unreachable` (no complete answer arrived), or
 * `unexpected_answer` (a proxy or another server answered, not the service).
 */
export class SvcError extends Error {
  readonly code: ErrorCode | "unreachable" | "unexpected_answer";
  /** HTTP status of the answer; 0 when no complete answer arrived. */
  readonly status: number;
  /** Details of the error, which depend on `code`; an empty object without details. */
  readonly details: Record<string, unknown>;
  /** Seconds to wait before a retry, from `Retry-After`; undefined without that header. */
  readonly retryAfterSeconds: number | undefined;
  /** `X-Request-Id` of the answer, which identifies the request in the service's log; undefined without that header. */
  readonly requestId: string | undefined;
  /** URL of the call, without its query. */
  readonly address: string | undefined;
  /**
   * Why no answer arrived: `timeout`, or the runtime's code, such as `ECONNREFUSED`, `ENOTFOUND` or `CERT_HAS_EXPIRED`. Undefined
   * when an answer arrived. In a browser, `reason` is only `timeout` or undefined, because browsers report no code.
   */
  readonly reason: string | undefined;
  /** Time limit in milliseconds that the call exceeded; undefined after any other failure. */
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
