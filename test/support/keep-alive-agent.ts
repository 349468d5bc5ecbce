import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Spoken } from "./chat-agent.ts";

/** Message from the agent: its address, or how many connections are open and how many messages wait for an answer. */
export type AgentReport = { url: string } | { connections: number; waiting: number };

// An agent in a separate process: a stock HTTP server of Node. It closes a connection that is idle for 5 seconds, or on which a
// stall of the service interrupts a request. With GIVES_UP_MS, the agent calls a mocked tool. When the tool does not answer in this
// time, the agent apologizes, or answers 500 if FAILS is set.
const GIVES_UP_MS = Number(process.env.GIVES_UP_MS ?? 0);
const ANSWERS_AFTER_MS = 150;

const sockets = new Set<Socket>();
let waiting = 0;

const REQUEST_MS = 5_000;
const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 };

const server = createServer(limits, async (request, response) => {
  const spoken = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Spoken;
  waiting++;
  const isDone = await usesTool(spoken);
  waiting--;
  response.writeHead(isDone || process.env.FAILS !== "yes" ? 200 : 500, { "content-type": "application/json" });
  const message = isDone ? `You said: ${spoken.message}` : "I am sorry, the tool does not answer.";
  response.end(JSON.stringify(spoken.event === "message" ? { message } : {}));
});
server.on("connection", (socket: Socket) => {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

async function usesTool({ event, tools }: Spoken): Promise<boolean> {
  if (event !== "message") return true;
  await delay(ANSWERS_AFTER_MS);
  if (GIVES_UP_MS === 0) return true;
  const answer = await fetch(`${tools.url}look_up`, {
    method: "POST",
    headers: { authorization: `Bearer ${tools.token}`, "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(GIVES_UP_MS),
  }).catch(() => undefined);
  return answer?.ok === true;
}

server.listen(0, "127.0.0.1", () => {
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat` } satisfies AgentReport);
});
process.on("message", () => process.send!({ connections: sockets.size, waiting } satisfies AgentReport));
process.on("disconnect", () => process.exit(0));
