import type { ErrorCode } from "@svc/contract/constants";

/**
 * The service refused the request, or could not be reached.
 *
 * `code` is stable; match on it and never on `message`. A code of `unreachable` means that no answer came, and
 * `unexpected_answer` that something else than the service answered.
 */
export class SvcError extends Error {
  readonly code: ErrorCode | "unreachable" | "unexpected_answer";
  /** HTTP status, or 0 when no answer came. */
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** Seconds to wait before the next try, when the service said so. */
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
