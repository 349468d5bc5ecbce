import { ERRORS, type ErrorCode } from "@svc/contract/constants";

/**
 * An expected error that the client caused or can act on. The HTTP layer sends it as the answer. Any other error is a fault of the
 * service.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    details?: Record<string, unknown>,
    options?: { retryAfterSeconds?: number; headers?: Readonly<Record<string, string>> },
  ) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.headers = options?.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export const notFound = () => new AppError("not_found", "Nothing exists here that this credential may see.");

export const unavailable = (message: string, retryAfterSeconds: number) =>
  new AppError("unavailable", message, undefined, { retryAfterSeconds });

export class MethodNotAllowed extends AppError {
  readonly allow: string[];

  constructor(allow: string[]) {
    super("method_not_allowed", `This path accepts only ${allow.join(", ")}.`);
    this.allow = allow;
  }
}
