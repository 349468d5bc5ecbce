import { lookup as resolve, type LookupAddress } from "node:dns";
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as overHttp,
} from "node:http";
import { Agent as HttpsAgent, request as overHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isForbidden } from "./address-guard.ts";
import { createRunningLimit } from "./event-loop-stalls.ts";

/** The reason why another host gave no usable answer. */
export type OutboundFault =
  | "timeout"
  | "unreachable"
  | "redirected"
  | "too_large"
  | "encoded"
  | "forbidden_address"
  | "canceled";

/** Another host's failure to answer; it contains nothing that the host sent. */
export class OutboundFailure extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, host: string) {
    super(`${host} ${FAULT_WORDS[fault]}`);
    this.name = "OutboundFailure";
    this.fault = fault;
  }
}

/** The words for each fault; they follow the name of the host. */
export const FAULT_WORDS: Record<OutboundFault, string> = {
  timeout: "did not answer in time",
  unreachable: "could not be reached",
  redirected: "answered with a redirect, which is not followed",
  too_large: "sent a larger answer than the service reads",
  encoded: "answered in an encoding that the service did not ask for",
  forbidden_address: "has an address that the service never calls",
  canceled: "was canceled",
};

export type OutboundRequest = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Limit for the whole exchange, up to the last byte; a stall of this process does not count. */
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** Sends the request on a new connection, so that it never reaches the host twice. */
  once?: boolean;
};

export type OutboundAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Idle connections close before most servers close them, because a server's close would break the next request. */
const CONNECTIONS = { keepAlive: true, maxSockets: 64, timeout: 3_000 };

const agents = { "http:": new HttpAgent(CONNECTIONS), "https:": new HttpsAgent(CONNECTIONS) };

/** Resolves a name and refuses forbidden addresses in one step, so that a second look-up cannot return another address. */
const guardedLookup: LookupFunction = (hostname, options, callback) =>
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, "");
    if (addresses.some(({ address }) => isForbidden(address)))
      return callback(Object.assign(new Error("forbidden"), { code: FORBIDDEN }), "");
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });

const FORBIDDEN = "SVC_FORBIDDEN_ADDRESS";

/** Sends one request to another host and returns the whole answer; limits its time and size, and refuses redirects. */
export async function exchange(request: OutboundRequest): Promise<OutboundAnswer> {
  const { url } = request;
  const limit = createRunningLimit(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal;
  try {
    return await read(await openAfresh(request, signal), request);
  } catch (error) {
    if (error instanceof OutboundFailure) throw error;
    if (request.signal?.aborted) throw new OutboundFailure("canceled", url.host);
    if (limit.signal.aborted) throw new OutboundFailure("timeout", url.host);
    const forbiddenAddress = (error as NodeJS.ErrnoException).code === FORBIDDEN;
    throw new OutboundFailure(forbiddenAddress ? "forbidden_address" : "unreachable", url.host);
  } finally {
    limit.clear();
  }
}

async function read(response: IncomingMessage, { url, maxBytes }: OutboundRequest): Promise<OutboundAnswer> {
  const { statusCode: status = 0, headers } = response;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    if (status >= 300 && status < 400) throw new OutboundFailure("redirected", url.host);
    if ((headers["content-encoding"] ?? "identity") !== "identity") throw new OutboundFailure("encoded", url.host);
    if (Number(headers["content-length"] ?? 0) > maxBytes) throw new OutboundFailure("too_large", url.host);
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new OutboundFailure("too_large", url.host);
      parts.push(chunk);
    }
  } finally {
    response.destroy();
  }
  return { status, headers, body: Buffer.concat(parts) };
}

/** Codes of a connection that the other side has closed. */
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Sends the request, and sends it again on a new connection when a reused one ends before the answer begins: the host closed
 * that connection while it was idle, or during a stall of this process, and never saw the request.
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

/** Sends the request: on a pooled connection with `onError`, which receives the failed request, else on a new one. */
function open(
  { method, url, headers, json }: OutboundRequest,
  signal: AbortSignal,
  onError?: (request: ClientRequest) => void,
): Promise<IncomingMessage> {
  const address = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(address) && isForbidden(address)) throw new OutboundFailure("forbidden_address", url.host);
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const overWire = url.protocol === "https:" ? overHttps : overHttp;
  return new Promise((answered, failed) => {
    const request = overWire(url, {
      method,
      signal,
      agent: onError !== undefined && agents[url.protocol as keyof typeof agents],
      lookup: guardedLookup,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        ...headers,
        ...(body && { "content-type": "application/json", "content-length": String(body.length) }),
      },
    });
    request.once("response", answered);
    request.on("error", (error) => {
      onError?.(request);
      failed(error);
    });
    request.end(body);
  });
}
