import type { ErrorBody } from "@svc/contract";
import { ERRORS } from "@svc/contract/constants";
import type { RequestShape } from "@svc/contract/requests";
import { SvcError } from "./error.ts";
import { messageInStatus, partialSuccessIn } from "./otlp-protobuf.ts";

/** Returns the answer in a response, from JSON or protobuf. Throws an `SvcError` when the body is neither. */
export async function readAnswer(response: Response): Promise<unknown> {
  if (isProtobuf(response)) return exportAnswer(await response.bytes());
  try {
    return await response.json();
  } catch (cause) {
    throw unexpected(response.status, cause);
  }
}

/** Returns the error in a response, from JSON or protobuf. */
export async function readError(op: RequestShape, response: Response): Promise<SvcError> {
  if (isProtobuf(response)) return errorOf(response, await errorInProtobuf(op, response));
  return errorOf(response, await response.json().catch(() => undefined));
}

/** Returns the error of a response with a parsed body. */
export function errorOf(response: Response, body: unknown): SvcError {
  if (!isErrorBody(body)) return unexpected(response.status);
  const { error: code, message, details } = body;
  return new SvcError({ code, status: response.status, message, details, retryAfterSeconds: retryAfterOf(response) });
}

const isProtobuf = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/x-protobuf") === true;

/** Returns a protobuf export answer in the shape of the JSON answer. */
function exportAnswer(bytes: Uint8Array) {
  const { rejectedSpans, errorMessage } = partialSuccessIn(bytes);
  if (rejectedSpans === 0 && errorMessage === "") return {};
  return { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
}

/** Returns the error of a `google.rpc.Status`. The status has no error code, so the code follows from the HTTP status. */
async function errorInProtobuf(op: RequestShape, response: Response) {
  return {
    error: op.errors?.find((code) => ERRORS[code].status === response.status),
    message: messageInStatus(await response.bytes()),
  };
}

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
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}

const unexpected = (status: number, cause?: unknown) =>
  new SvcError({
    code: "unexpected_answer",
    status,
    message: `The answer (HTTP ${status}) does not come from the service. Check the address.`,
    cause,
  });
