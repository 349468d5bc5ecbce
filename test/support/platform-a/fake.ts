import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Wire, WireCall } from "./calls.ts";
import { answerBadly, type Fault, queueFaults } from "./faults.ts";
import { type Permission, refusal, type Reply, ROUTES } from "./routes.ts";
import { anAgent, newState } from "./state.ts";

/** One request that came, in order. `status` is undefined where the answer was a fault. */
export type Asked = {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Wire;
  headers: IncomingMessage["headers"];
  status: number | undefined;
  fault: Fault["kind"] | undefined;
  /** Written in answer, once the answer is over. */
  bytes: number | undefined;
};

export type FakePlatformA = Awaited<ReturnType<typeof openFakePlatformA>>;

/** A hosted platform as a real HTTP server: agents, calls, chats and keys are set from outside, and faults at will. */
export async function openFakePlatformA({ port = 0, apiKey = "key_4f0cb7a1d29e58366a" } = {}) {
  const state = newState();
  const faults = queueFaults();
  const keys = new Map<string, Permission[]>([[apiKey, []]]);
  const requests: Asked[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** A key with every permission. */
    apiKey,
    state,
    faults,
    /** Every request that came. */
    requests,
    /** The most requests that were under way at the same time. */
    mostAtOnce: () => mostAtOnce,
    requestsTo: (path: RegExp) => requests.filter((asked) => path.test(asked.path)),
    /** Takes a key with all permissions but these; the same key again changes them. */
    addKey: (key: string, ...missing: Permission[]) => void keys.set(key, missing),
    removeKey: (key: string) => void keys.delete(key),
    addAgent: (...given: Parameters<typeof anAgent>) => void state.agents.push(anAgent(...given)),
    /** Calls appear in lists at once, whatever their start; one that is there already is replaced. */
    addCalls(calls: Iterable<WireCall>): void {
      for (const call of calls) state.calls.set(call.call_id, call);
    },
    /** The next so many reads of a call give it without its transcript. */
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
    const asked: Asked = {
      method,
      path,
      query: Object.fromEntries(searchParams),
      body: {},
      headers,
      status: undefined,
      fault: undefined,
      bytes: undefined,
    };
    requests.push(asked);
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    const { socket } = request;
    const before = socket.bytesWritten;
    response.once("close", () => {
      atOnce--;
      asked.bytes = socket.bytesWritten - before;
    });
    try {
      const sent = Buffer.concat(await request.toArray()).toString();
      asked.body = sent === "" ? {} : (JSON.parse(sent) as Wire);
    } catch {
      return void response.destroy();
    }
    const fault = faults.take(path);
    asked.fault = fault?.kind;
    if (fault?.kind === "slow") await delay(fault.ms);
    else if (fault !== undefined && fault.kind !== "repeated_page_key") return answerBadly(fault, response);

    const { status = 200, body } = decide(asked, searchParams);
    asked.status = status;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(
      body === undefined
        ? undefined
        : JSON.stringify(fault?.kind === "repeated_page_key" ? { ...(body as Wire), ...REPEATED } : body),
    );
  }

  function decide({ method, path, body, headers }: Asked, query: URLSearchParams): Reply {
    const missing = keys.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
    if (missing === undefined) return refusal(401, "API key is missing or invalid.");
    for (const [of, pattern, needs, run] of ROUTES) {
      const match = of === method && pattern.exec(path);
      if (!match) continue;
      if (needs !== null && missing.includes(needs)) return refusal(403, "Forbidden.");
      return run({ query, body, id: decodeURIComponent(match[1] ?? "") }, state);
    }
    return refusal(404, "Not found.");
  }
}

const REPEATED = { has_more: true, pagination_key: "the-same-page-again" };
