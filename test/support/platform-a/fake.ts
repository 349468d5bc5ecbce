import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Wire, WireCall } from "./calls.ts";
import { answerBadly, type Fault, queueFaults } from "./faults.ts";
import { type Permission, refusal, type Reply, ROUTES } from "./routes.ts";
import { anAgent, newState } from "./state.ts";

/** One request to the fake. `status` is undefined where the answer was a fault. */
type PlatformRequest = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Wire;
  headers: IncomingMessage["headers"];
  status: number | undefined;
  fault: Fault["kind"] | undefined;
  /** Size of the answer; undefined until it has ended. */
  bytes: number | undefined;
};

export type FakePlatformA = Awaited<ReturnType<typeof openFakePlatformA>>;

/** Opens a fake of the hosted platform, a real HTTP server; its owner sets agents, calls, chats, keys and faults. */
export async function openFakePlatformA({ port = 0, apiKey = "key_4f0cb7a1d29e58366a" } = {}) {
  const state = newState();
  const faults = queueFaults();
  const keys = new Map<string, Permission[]>([[apiKey, []]]);
  const requests: PlatformRequest[] = [];
  const recordings = new Map<string, Buffer>();
  let atOnce = 0;
  let mostAtOnce = 0;

  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));

  return {
    url: address(),
    /** A key with every permission. */
    apiKey,
    state,
    faults,
    /** Every request so far, in order. */
    requests,
    /** Returns the largest number of concurrent requests so far. */
    mostAtOnce: () => mostAtOnce,
    requestsTo: (path: RegExp) => requests.filter((request) => path.test(request.path)),
    /** Accepts a key that has every permission except `missing`; the same key again replaces its permissions. */
    addKey: (key: string, ...missing: Permission[]) => void keys.set(key, missing),
    removeKey: (key: string) => void keys.delete(key),
    addAgent: (...agent: Parameters<typeof anAgent>) => void state.agents.push(anAgent(...agent)),
    /** Adds calls to the lists at once, whatever their start; a call with the same id is replaced. */
    addCalls(calls: Iterable<WireCall>): void {
      for (const call of calls) state.calls.set(call.call_id, call);
    },
    /** Serves a recording to everyone who has its address, which it returns. */
    addRecording(bytes: Buffer): string {
      const path = `/recordings/${recordings.size}.wav`;
      recordings.set(path, bytes);
      return `${address()}${path}?X-Amz-Signature=5f0c`;
    },
    /** Hides the transcript of a call from the next `reads` reads. */
    holdTranscript: (callId: string, reads = 1) => void state.held.set(callId, reads),
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const { pathname: path, searchParams } = new URL(request.url!, "http://platform");
    const received: PlatformRequest = {
      method,
      path,
      query: Object.fromEntries(searchParams),
      body: {},
      headers,
      status: undefined,
      fault: undefined,
      bytes: undefined,
    };
    requests.push(received);
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    const { socket } = request;
    const before = socket.bytesWritten;
    response.once("close", () => {
      atOnce--;
      received.bytes = socket.bytesWritten - before;
    });
    try {
      const sent = Buffer.concat(await request.toArray()).toString();
      received.body = sent === "" ? {} : (JSON.parse(sent) as Wire);
    } catch {
      return void response.destroy();
    }
    const fault = faults.take(path);
    received.fault = fault?.kind;
    if (fault?.kind === "slow") await delay(fault.ms);
    else if (fault !== undefined && fault.kind !== "repeated_page_key") return answerBadly(fault, response);

    const recording = recordings.get(path);
    if (recording !== undefined) {
      received.status = 200;
      return void response.writeHead(200, { "content-type": "audio/wav" }).end(recording);
    }
    const { status = 200, body } = decide(received, searchParams);
    received.status = status;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(
      body === undefined
        ? undefined
        : JSON.stringify(fault?.kind === "repeated_page_key" ? { ...(body as Wire), ...REPEATED } : body),
    );
  }

  function decide({ method, path, body, headers }: PlatformRequest, query: URLSearchParams): Reply {
    const missing = keys.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
    if (missing === undefined) return refusal(401, "API key is missing or invalid.");
    for (const [verb, pattern, needs, run] of ROUTES) {
      const match = verb === method && pattern.exec(path);
      if (!match) continue;
      if (needs !== null && missing.includes(needs)) return refusal(403, "Forbidden.");
      return run({ query, body, id: decodeURIComponent(match[1] ?? "") }, state);
    }
    return refusal(404, "Not found.");
  }
}

const REPEATED = { has_more: true, pagination_key: "the-same-page-again" };
