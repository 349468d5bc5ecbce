import { lookup as resolve, type LookupAddress } from "node:dns";
import { createReadStream, createWriteStream } from "node:fs";
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
} from "node:http";
import { Agent as HttpsAgent, request as overHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type AddressKind, kindOfAddress } from "./address-guard.ts";
import { createRunningLimit } from "../async/event-loop-stalls.ts";
import { inSpan } from "../own-spans.ts";
import { SpanKind } from "@opentelemetry/api";

export type OutboundFault =
  | "timeout"
  | "unreachable"
  | "redirected"
  | "too_large"
  | "encoded"
  | "not_http"
  | "tls"
  | "forbidden_address"
  | "private_address"
  | "canceled";

/** Error of a request to another host. The message contains nothing that the host sent. */
export class OutboundFailure extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, host: string, words = FAULT_WORDS[fault]) {
    super(`${host} ${words}`);
    this.name = "OutboundFailure";
    this.fault = fault;
  }
}

/** Text for each fault, which follows the name of the host. */
export const FAULT_WORDS: Record<OutboundFault, string> = {
  timeout: "did not answer in time",
  unreachable: "could not be reached",
  redirected: "answered with a redirect, which is not followed",
  too_large: "sent a larger answer than the service reads",
  not_http: "answered with something that is not HTTP",
  tls: "did not agree on a trusted TLS connection",
  encoded: "answered in an encoding that the service did not ask for",
  forbidden_address: "has an address that the service never calls",
  private_address: "has a private address, which this service does not call",
  canceled: "was canceled",
};

export type PrivateAddresses = "allow" | "refuse";

export type OutboundRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: URL;
  headers?: Record<string, string>;
  json?: unknown;
  /** Body that is sent unchanged. Ignored when `json` is set. */
  body?: { type: string; bytes: Buffer } | undefined;
  /** File that is sent as the body. Ignored when another body is set. */
  file?: { type: string; path: string; bytes: number } | undefined;
  /** Time limit of the whole exchange, up to the last byte. Stalls of this process do not count. */
  timeoutMs: number;
  maxBytes: number;
  /** Whether the host may have a private address. Use `allow` only for an address that the operator configured. */
  privateAddresses: PrivateAddresses;
  signal?: AbortSignal;
  /** Uses a new connection and never retries, so that the host cannot get the request twice. */
  once?: boolean;
};

export type OutboundAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Idle connections close after 3 s, before most servers close them. A request fails if the server closes its connection meanwhile. */
const CONNECTIONS = { keepAlive: true, maxSockets: 64, timeout: 3_000 };

/** Separate connection pools, so that a request that refuses private addresses cannot reuse a connection to a private address. */
const agents = {
  allow: { "http:": new HttpAgent(CONNECTIONS), "https:": new HttpsAgent(CONNECTIONS) },
  refuse: { "http:": new HttpAgent(CONNECTIONS), "https:": new HttpsAgent(CONNECTIONS) },
};

export function refusalOf(address: string, privateAddresses: PrivateAddresses): OutboundFault | undefined {
  const kind: AddressKind = kindOfAddress(address);
  if (kind === "metadata") return "forbidden_address";
  return kind === "private" && privateAddresses === "refuse" ? "private_address" : undefined;
}

/** Returns a look-up that resolves a name and checks its addresses in one step, so that a second look-up cannot return another address. */
export const guardedLookup =
  (privateAddresses: PrivateAddresses): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, "");
      for (const { address } of addresses) {
        const fault = refusalOf(address, privateAddresses);
        if (fault) return callback(new OutboundFailure(fault, hostname), "");
      }
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });

const lookups = { allow: guardedLookup("allow"), refuse: guardedLookup("refuse") };

/** Sends one request to another host and returns the whole answer. Limits its time and size, and rejects redirects. */
export const exchange = (request: OutboundRequest): Promise<OutboundAnswer> => answered(request, readWhole);

/**
 * Sends one request to another host and returns the status and headers of the answer. Reads up to `maxBytes` of the body and drops them.
 * Limits the time, and rejects redirects.
 */
export const exchangeStatus = (request: OutboundRequest): Promise<Omit<OutboundAnswer, "body">> =>
  answered({ ...request, maxBytes: Infinity }, async (body, head) => {
    let bytes = 0;
    for await (const chunk of body) if ((bytes += chunk.length) > request.maxBytes) break;
    return head;
  });

/**
 * Sends one request to another host and writes the body of the answer to a new file. Returns the status of the answer. Limits its time
 * and size, and rejects redirects. After a failure the caller has to remove the file.
 */
export const download = (request: OutboundRequest, file: string): Promise<number> =>
  answered(request, async (body, { status }) => {
    await pipeline(body, createWriteStream(file, { flags: "wx" }));
    return status;
  });

export type StreamedAnswer = { status: number; headers: IncomingHttpHeaders; body: Readable };

/** Time limit for the next bytes of a streamed answer. */
const NEXT_BYTES_MS = 20_000;

/**
 * Sends one request to another host and returns the answer as a stream. Limits the time until the answer begins, the time between its
 * bytes, and its size. Rejects redirects. Time during which nobody reads the stream does not count. The caller has to read or destroy the
 * stream. Each answer has its own connection, so that a slow reader does not block other requests.
 */
export async function openAnswer(request: OutboundRequest): Promise<StreamedAnswer> {
  const response = await explained(request, async (signal) => {
    const opened = await open(request, signal);
    try {
      refuseUnusable(opened, request);
      return opened;
    } catch (error) {
      opened.destroy();
      throw error;
    }
  });
  const body = Readable.from(paced(response, request), { objectMode: false });
  body.once("close", () => response.destroy());
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function* paced(response: IncomingMessage, { url, maxBytes }: OutboundRequest): AsyncGenerator<Buffer> {
  const chunks = limited(response, maxBytes, url.host);
  while (true) {
    const limit = createRunningLimit(NEXT_BYTES_MS);
    limit.signal.addEventListener("abort", () => response.destroy(new OutboundFailure("timeout", url.host)));
    try {
      const next = await chunks.next();
      if (next.done) return;
      yield next.value;
    } finally {
      limit.clear();
    }
  }
}

type ReadBody<T> = (body: AsyncIterable<Buffer>, head: { status: number; headers: IncomingHttpHeaders }) => Promise<T>;

function answered<T>(request: OutboundRequest, readBody: ReadBody<T>): Promise<T> {
  const { method, url } = request;
  const attributes = { "http.request.method": method, "server.address": url.hostname };
  return inSpan(method, { kind: SpanKind.CLIENT, attributes }, (span) =>
    explained(request, async (signal) =>
      read(await openAfresh(request, signal), request, (body, head) => {
        span.setAttribute("http.response.status_code", head.status);
        return readBody(body, head);
      }),
    ),
  );
}

/** Runs the work within the request's time limit. Throws an `OutboundFailure` for every error of the connection or the other host. */
async function explained<T>(request: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { url } = request;
  const limit = createRunningLimit(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal;
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof OutboundFailure || isOfDisk(error)) throw error;
    if (request.signal?.aborted) throw new OutboundFailure("canceled", url.host);
    if (limit.signal.aborted) throw new OutboundFailure("timeout", url.host);
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new OutboundFailure(outboundFaultOf(code), url.host, UNREACHABLE_WORDS[code]);
  } finally {
    limit.clear();
  }
}

const UNREACHABLE_WORDS: Record<string, string> = {
  ENOTFOUND: "could not be reached, because no machine has this name",
  ECONNRESET: "closed the connection before the end of its answer",
};

/** Error codes of TLS. The connection failed, or this machine does not trust the server's certificate. */
const CERTIFICATE =
  /^(?:EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_SSL|ERR_TLS)/;

export const outboundFaultOf = (code: string): OutboundFault =>
  code.startsWith("HPE_") ? "not_http" : CERTIFICATE.test(code) ? "tls" : "unreachable";

/** Returns whether a file of this machine, and not the other host, caused the error. */
function isOfDisk(error: unknown): boolean {
  const { syscall = "", code = "" } = error as NodeJS.ErrnoException;
  return /^(open|write|close)$/.test(syscall) && !OF_CONNECTION.test(code);
}

async function read<T>(response: IncomingMessage, request: OutboundRequest, readBody: ReadBody<T>): Promise<T> {
  const { statusCode: status = 0, headers } = response;
  try {
    refuseUnusable(response, request);
    return await readBody(limited(response, request.maxBytes, request.url.host), { status, headers });
  } finally {
    response.destroy();
  }
}

function refuseUnusable(
  { statusCode: status = 0, headers }: IncomingMessage,
  { url, maxBytes }: OutboundRequest,
): void {
  if (status >= 300 && status < 400) throw new OutboundFailure("redirected", url.host);
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new OutboundFailure("encoded", url.host);
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw new OutboundFailure("too_large", url.host);
}

async function* limited(chunks: AsyncIterable<Buffer>, maxBytes: number, host: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OutboundFailure("too_large", host);
    yield chunk;
  }
}

const readWhole: ReadBody<OutboundAnswer> = async (body, head) => {
  const parts: Buffer[] = [];
  for await (const chunk of body) parts.push(chunk);
  return { ...head, body: Buffer.concat(parts) };
};

/** Error codes of connections. They distinguish a failed `write` to a connection from a failed `write` to a file. */
const OF_CONNECTION = /^E(CONN|PIPE|PROTO|NET|HOST|TIMEDOUT|NOTCONN)/;

/** Error codes of a connection that the other side has closed. */
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Sends the request. Sends it again on a new connection when a reused connection fails before the answer begins. In that case the host
 * closed the connection before the request arrived, because the connection was idle or because this process stalled.
 */
async function openAfresh(request: OutboundRequest, signal: AbortSignal): Promise<IncomingMessage> {
  if (request.once) return open(request, signal);
  let reused = false;
  try {
    return await open(request, signal, (sent) => (reused = sent.reusedSocket));
  } catch (error) {
    if (!reused || signal.aborted || !CLOSED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return open(request, signal);
  }
}

/** Sends the request on a pooled connection if `onError` is given, else on a new connection. `onError` gets the failed request. */
function open(
  { method, url, headers, json, body: unchanged, file, privateAddresses }: OutboundRequest,
  signal: AbortSignal,
  onError?: (request: ClientRequest) => void,
): Promise<IncomingMessage> {
  const address = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = isIP(address) ? refusalOf(address, privateAddresses) : undefined;
  if (refusal) throw new OutboundFailure(refusal, url.hostname);
  const body = json === undefined ? unchanged : { type: "application/json", bytes: Buffer.from(JSON.stringify(json)) };
  const overWire = url.protocol === "https:" ? overHttps : overHttp;
  return new Promise((answered, failed) => {
    const request = overWire(url, {
      method,
      signal,
      agent: onError !== undefined && agents[privateAddresses][url.protocol as "http:" | "https:"],
      lookup: lookups[privateAddresses],
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        ...headers,
        ...(file && { "content-type": file.type, "content-length": String(file.bytes) }),
        ...(body && { "content-type": body.type, "content-length": String(body.bytes.length) }),
      },
    });
    request.once("response", answered);
    request.on("error", (error) => {
      onError?.(request);
      failed(error);
    });
    if (file && body === undefined) pipeline(createReadStream(file.path), request).catch(failed);
    else request.end(body?.bytes);
  });
}
