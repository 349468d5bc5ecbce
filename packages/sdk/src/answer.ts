import type { ErrorBody } from "@svc/contract";
import { ERRORS } from "@svc/contract/constants";
import type { RequestShape } from "@svc/contract/requests";
import { SvcError } from "./error.ts";
import { messageInStatus, partialSuccessIn } from "./otlp-protobuf.ts";

/** Response with its body, the service's base URL, and the URL of the call without its query. */
export type Received = { response: Response; bytes: Uint8Array; baseUrl: string; address: string };

/** Decodes the answer in a response from JSON or protobuf. Throws an `SvcError` when the body is neither. */
export function answerIn(received: Received): unknown {
  const { response, bytes } = received;
  try {
    return isProtobuf(response) ? exportAnswer(bytes) : parsed(bytes);
  } catch {
    throw unexpected(received);
  }
}

/** Decodes the error in a response from JSON or protobuf. Returns `unexpected_answer` when the body is no error of the service. */
export function errorIn(op: RequestShape, received: Received): SvcError {
  const { response, bytes, address } = received;
  let body: unknown;
  try {
    body = isProtobuf(response) ? errorInProtobuf(op, response, bytes) : parsed(bytes);
  } catch {
    return unexpected(received);
  }
  if (!isErrorBody(body)) return unexpected(received);
  const { error: code, message, details } = body;
  return new SvcError({ code, message, details, address, ...headOf(response) });
}

const parsed = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

const isProtobuf = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/x-protobuf") === true;

/** Converts a protobuf `ExportTraceServiceResponse` into the shape of the JSON answer. */
function exportAnswer(bytes: Uint8Array) {
  const { rejectedSpans, errorMessage } = partialSuccessIn(bytes);
  if (rejectedSpans === 0 && errorMessage === "") return {};
  return { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
}

/**
 * Converts a protobuf `google.rpc.Status` into an error body. A `google.rpc.Status` contains no error code of the service, so the HTTP
 * status determines the code.
 */
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

/** Returns the seconds in a `Retry-After` header, even when the header is a date; undefined without a valid header. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

/** Returns the members of an error that come from the status and the headers. Answers of proxies have these members too. */
const headOf = (response: Response) => ({
  status: response.status,
  retryAfterSeconds: retryAfterOf(response),
  requestId: response.headers.get("x-request-id") ?? undefined,
});

/**
 * Returns the error of an answer that is not from the service. The error quotes no text of the answer, because the text could
 * contain the key.
 */
const unexpected = (received: Received) =>
  new SvcError({
    code: "unexpected_answer",
    message: messageOf(received),
    address: received.address,
    ...headOf(received.response),
  });

/** HTTP statuses with which a proxy answers when it does not reach the server behind it. */
const OF_PROXIES = [502, 503, 504];

function messageOf({ response, bytes, baseUrl }: Received): string {
  const { status, type } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400))
    return `${baseUrl} answers with a redirect, which the client does not follow, so that no other host gets the key. Set the address to which it leads.`;
  const answer = `HTTP ${status} ${contentOf(response, bytes)}`;
  return OF_PROXIES.includes(status)
    ? `A proxy at ${baseUrl} answers for the service, which it does not reach (${answer}). Check that the service runs, and the address to which the proxy forwards.`
    : `The answer of ${baseUrl} does not come from the service (${answer}). Check the address.`;
}

function contentOf({ headers }: Response, bytes: Uint8Array): string {
  if (bytes.length === 0) return "without a body";
  const type = headers.get("content-type")?.split(";", 1)[0] ?? "";
  if (type === "text/html") return "with a web page";
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `with ${type}` : "with an unknown content";
}
