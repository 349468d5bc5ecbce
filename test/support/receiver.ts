// Starts a receiver of events: a real HTTP server that records its requests and answers as a spec says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProjectEvent } from "@svc/contract";

/** One request to the receiver. */
export type Received = { headers: IncomingHttpHeaders; body: string; event: ProjectEvent; atMs: number };

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Answers 204 unless `answer` answers. */
export async function startReceiver(
  answer: (received: Received, response: ServerResponse) => void = (_, response) => void response.writeHead(204).end(),
) {
  const received: Received[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.once("close", () => open--);
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const one = { headers: request.headers, body, event: JSON.parse(body) as ProjectEvent, atMs: Date.now() };
    received.push(one);
    answer(one, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** The greatest number of requests at the same time. */
    mostOpen: () => mostOpen,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
