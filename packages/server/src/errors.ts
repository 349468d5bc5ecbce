import { ERRORS, type ErrorCode } from "@svc/contract/constants";

/** A refusal: thrown where a rule decides, answered once at the edge. Any other throw is a fault of ours. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details?: Record<string, unknown>,
    options?: { retryAfterSeconds?: number },
  ) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export const notFound = () => new AppError("not_found", "There is nothing here that this credential may see.");

/** The service cannot do it now; the message says what to do, and after so many seconds it may be tried again. */
export const unavailable = (message: string, retryAfterSeconds: number) =>
  new AppError("unavailable", message, undefined, { retryAfterSeconds });

export class MethodNotAllowed extends AppError {
  readonly allow: string[];

  constructor(allow: string[]) {
    super("method_not_allowed", `This path takes ${allow.join(", ")}.`);
    this.allow = allow;
  }
}
