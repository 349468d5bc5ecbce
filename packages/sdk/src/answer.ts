import type { ErrorBody } from "@svc/contract";
import { ERRORS } from "@svc/contract/constants";
import type { RequestShape } from "@svc/contract/requests";
import { SvcError } from "./error.ts";
import { messageInStatus, partialSuccessIn } from "./otlp-protobuf.ts";

/** Returns the answer in a response, from JSON or protobuf; an error when the body is neither. */
export function answerIn(response: Response, body: Uint8Array): { answer: unknown } | SvcError {
  try {
    return { answer: isProtobuf(response) ? exportAnswer(body) : parsed(body) };
  } catch (cause) {
    return unexpected(response, cause);
  }
}

/** Returns the error in a response, from JSON or protobuf. */
export function errorIn(op: RequestShape, response: Response, bytes: Uint8Array): SvcError {
  let body: unknown;
  try {
    body = isProtobuf(response) ? errorInProtobuf(op, response, bytes) : parsed(bytes);
  } catch (cause) {
    return unexpected(response, cause);
  }
  if (!isErrorBody(body)) return unexpected(response);
  const { error: code, message, details } = body;
  return new SvcError({ code, status: response.status, message, details, retryAfterSeconds: retryAfterOf(response) });
}

const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

const isProtobuf = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/x-protobuf") === true;

/** Returns a protobuf export answer in the shape of the JSON answer. */
function exportAnswer(bytes: Uint8Array) {
  const { rejectedSpans, errorMessage } = partialSuccessIn(bytes);
  if (rejectedSpans === 0 && errorMessage === "") return {};
  return { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
}

/** Returns the error of a `google.rpc.Status`. The status has no error code, so the code follows from the HTTP status. */
const errorInProtobuf = (op: RequestShape, { status }: Response, bytes: Uint8Array) => ({
  error: op.errors?.find((code) => ERRORS[code].status === status),
  message: messageInStatus(bytes),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns whether a body is exactly the service's error body. */
const isErrorBody = (body: unknown): body is ErrorBody =>
  isObject(body) &&
  typeof body.error === "string" &&
  Object.hasOwn(ERRORS, body.error) &&
  typeof body.message === "string" &&
  (body.details === undefined || isObject(body.details)) &&
  Object.keys(body).every((name) => ["error", "message", "details"].includes(name));

/** Returns the seconds of a `Retry-After` header; undefined without one. */
function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}

/** Keeps the header: a proxy in front of the service can answer 503 with it. */
const unexpected = (response: Response, cause?: unknown) =>
  new SvcError({
    code: "unexpected_answer",
    status: response.status,
    message: `The answer (HTTP ${response.status}) does not come from the service. Check the address.`,
    retryAfterSeconds: retryAfterOf(response),
    cause,
  });
