import type { Answer, ErrorBody, Input, Operation, Operations } from "@svc/contract";
import { ERRORS } from "@svc/contract/constants";
import { type RequestShape, requests } from "@svc/contract/requests";
import ky, { isHTTPError, type KyInstance } from "ky";
import { SvcError } from "./error.ts";
import { messageInStatus, partialSuccessIn } from "./otlp-protobuf.ts";

/** How to reach the service. */
export type ClientOptions = {
  /** The service's address, such as `http://127.0.0.1:3100`. */
  baseUrl: string;
  /** An API key, `svc_sk_…`. Operations without a credential work without one. */
  apiKey?: string | undefined;
  /** A session cookie, instead of a key. */
  cookie?: string | undefined;
  /** Milliseconds for one request, tries included; default 30 000. */
  timeoutMs?: number | undefined;
  /** Further tries of reads after a lost connection, 429, 502, 503 or 504; a `Retry-After` up to 10 s is kept. Default 2. */
  retries?: number | undefined;
  /** Another `fetch`, for tests and for runtimes that need one. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** How one call goes. */
export type CallOptions = {
  /** When it aborts, the call ends: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
};

/** Bytes of an OTLP export, as the worker made them. */
export type OtlpBody = {
  body: Uint8Array | string;
  contentType: "application/x-protobuf" | "application/json";
  /** Whether the body is compressed by gzip already. */
  gzip?: boolean | undefined;
};

type InputFor<O extends Operation> = O["body"] extends "otlp" ? OtlpBody : Input<O>;
type Optional<T> = object extends T ? [input?: T, options?: CallOptions] : [input: T, options?: CallOptions];
type Method<O extends Operation> = (...call: Optional<InputFor<O>>) => Promise<Answer<O>>;

/**
 * One method per operation of the interface: `client.tests.create({...})`. Path parameters, query and body are one flat
 * object. A refusal rejects with `SvcError`.
 */
export type Client = {
  [Family in keyof Operations]: {
    [Name in keyof Operations[Family]]: Operations[Family][Name] extends Operation
      ? Method<Operations[Family][Name]>
      : never;
  };
};

const RETRIED = [429, 502, 503, 504];
const LONGEST_WAIT_SECONDS = 10;

/** Makes a client; nothing is sent until a method is called. */
export function createClient(options: ClientOptions): Client {
  const http = ky.create({
    prefix: options.baseUrl.replace(/\/+$/, ""),
    timeout: options.timeoutMs ?? 30_000,
    totalTimeout: options.timeoutMs ?? 30_000,
    redirect: "error",
    retry: {
      limit: options.retries ?? 2,
      methods: ["get"],
      statusCodes: RETRIED,
      afterStatusCodes: RETRIED,
      shouldRetry: ({ error }) =>
        isHTTPError(error) && (retryAfterOf(error.response) ?? 0) > LONGEST_WAIT_SECONDS ? false : undefined,
    },
    headers: {
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
      ...(options.cookie && { cookie: options.cookie, origin: new URL(options.baseUrl).origin }),
    },
    ...(options.fetch && { fetch: options.fetch }),
  });
  const methodsOf = (family: Readonly<Record<string, RequestShape>>) =>
    Object.fromEntries(
      Object.entries(family).map(([name, op]) => [
        name,
        (input: Record<string, unknown> = {}, call: CallOptions = {}) => send(http, op, input, call),
      ]),
    );
  const families = Object.entries(requests).map(([name, family]) => [name, methodsOf(family)]);
  return Object.fromEntries(families) as Client;
}

async function send(
  http: KyInstance,
  op: RequestShape,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<unknown> {
  const request = op.body === "otlp" ? otlpRequest(input as OtlpBody) : jsonRequest(op, input);
  const isAnswer = (status: number) => op.alsoAnswers?.includes(status) ?? false;
  let response: Response;
  try {
    response = await http(pathOf(op, input), {
      method: op.method,
      ...request,
      ...(call.signal && { signal: call.signal }),
      throwHttpErrors: (status) => op.method === "GET" && RETRIED.includes(status) && !isAnswer(status),
    });
  } catch (cause) {
    if (isHTTPError(cause)) throw refusal(cause.response, cause.data);
    if (call.signal?.aborted) throw cause;
    const message = "The service did not answer; check its address and that it runs (`svc doctor`).";
    // The library's own error holds the request, and with it the key.
    throw new SvcError({ code: "unreachable", status: 0, message, cause: (cause as Error).cause });
  }
  if (!response.ok && !isAnswer(response.status)) {
    throw refusal(
      response,
      isProtobuf(response) ? await errorInProtobuf(op, response) : await response.json().catch(() => undefined),
    );
  }
  if (response.status === 204) return undefined;
  if (op.streams) return response.body;
  return isProtobuf(response) ? exportAnswer(await response.bytes()) : parsed(response);
}

const isProtobuf = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/x-protobuf") === true;

function pathOf(op: RequestShape, input: Record<string, unknown>): string {
  return op.path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
}

function jsonRequest(op: RequestShape, input: Record<string, unknown>) {
  const members = (names: readonly string[] = []) =>
    Object.entries(input).filter(([name, value]) => value !== undefined && names.includes(name));
  const body = op.body === "otlp" ? undefined : op.body;
  const query = members(op.query).map(([name, value]) => [name, String(value)] as const);
  const headers = Object.entries(op.headers ?? {}).flatMap(([name, header]) =>
    typeof input[name] === "string" ? [[header, input[name]] as const] : [],
  );
  return {
    ...(query.length > 0 && { searchParams: Object.fromEntries(query) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body && { json: Object.fromEntries(members(body)) }),
  };
}

function otlpRequest({ body, contentType, gzip }: OtlpBody) {
  return {
    body: body as Uint8Array<ArrayBuffer> | string,
    headers: { "content-type": contentType, ...(gzip && { "content-encoding": "gzip" }) },
  };
}

/** What an export in protobuf is answered, in the shape of the same answer in JSON. */
function exportAnswer(bytes: Uint8Array) {
  const { rejectedSpans, errorMessage } = partialSuccessIn(bytes);
  if (rejectedSpans === 0 && errorMessage === "") return {};
  return { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
}

/** A `google.rpc.Status` holds no code of ours; the HTTP status tells which of the operation's codes it is. */
async function errorInProtobuf(op: RequestShape, response: Response) {
  return {
    error: op.errors?.find((code) => ERRORS[code].status === response.status),
    message: messageInStatus(await response.bytes()),
  };
}

async function parsed(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw unexpected(response.status, cause);
  }
}

function refusal(response: Response, sent: unknown): SvcError {
  if (!isRefusal(sent)) return unexpected(response.status);
  const { error: code, message, details } = sent;
  return new SvcError({ code, status: response.status, message, details, retryAfterSeconds: retryAfterOf(response) });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether it is what every answer of the service holds that is not a success, and nothing else. */
const isRefusal = (sent: unknown): sent is ErrorBody =>
  isObject(sent) &&
  typeof sent.error === "string" &&
  Object.hasOwn(ERRORS, sent.error) &&
  typeof sent.message === "string" &&
  (sent.details === undefined || isObject(sent.details)) &&
  Object.keys(sent).every((name) => ["error", "message", "details"].includes(name));

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
}

const unexpected = (status: number, cause?: unknown) =>
  new SvcError({
    code: "unexpected_answer",
    status,
    message: `Something other than the service answered (HTTP ${status}); check the address.`,
    cause,
  });
