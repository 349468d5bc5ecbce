import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One message that the service sends to the agent, in the format `svc` of chat endpoints. */
export type Spoken = {
  simulationId: string;
  turn: number;
  event: "start" | "message" | "end";
  message?: string;
  tools: { names: string[]; url: string; token: string };
};
export type Reply = { message?: string; messages?: string[]; ended?: boolean; transferred?: boolean };
export type Answer = (spoken: Spoken, response: ServerResponse) => Reply | null | Promise<Reply | null>;

export type ChatAgent = Awaited<ReturnType<typeof startChatAgent>>;

/** Starts an agent under test: a real HTTP server with the `svc` format. `answer` returns null when it wrote the answer itself. */
export async function startChatAgent(answer: Answer) {
  const heard: Spoken[] = [];
  const server = createServer(async (request, response) => {
    const spoken = JSON.parse(await textOf(request)) as Spoken;
    heard.push(spoken);
    const reply = spoken.event === "end" ? {} : await answer(spoken, response);
    if (reply === null) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(reply));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
  return {
    url,
    heard,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls a mocked tool as an agent does. */
export async function useTool({ tools }: Spoken, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const answer = await fetch(`${tools.url}${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tools.token}`, "content-type": "application/json" },
    body: JSON.stringify({ arguments: args }),
  });
  return answer.json();
}

async function textOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString("utf8");
}
