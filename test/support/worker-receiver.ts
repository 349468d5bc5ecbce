import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { type PlainRow, rowsByReflection } from "./otlp-reference.ts";

type Received = {
  atMs: number;
  path: string;
  headers: IncomingMessage["headers"];
  rawBytes: number;
  spans: PlainRow[];
};
export type Answer =
  | { status: number; headers?: Record<string, string>; body?: Uint8Array | string }
  | "hang"
  | "reset";

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts an HTTP server in place of the service. `answer` returns the answer to the request with index `n`. */
export async function startReceiver(answer: (n: number, request: Received) => Answer = () => ({ status: 200 })) {
  const received: Received[] = [];
  const taken: PlainRow[] = [];
  const server = createServer((request, response) => {
    void answerOne(request, response);
  });

  async function answerOne(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = gunzipSync(Buffer.concat(chunks));
    const { url: path = "", headers } = request;
    const one = { atMs: Date.now(), path, headers, rawBytes: raw.byteLength, spans: rowsByReflection(raw) };
    received.push(one);
    const chosen = answer(received.length - 1, one);
    if (chosen === "hang") return;
    if (chosen === "reset") return void request.socket.destroy();
    if (chosen.status === 200) taken.push(...one.spans);
    response.writeHead(chosen.status, chosen.headers).end(chosen.body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** The spans of the requests that were answered with 200, in order. */
    taken,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
