import { createServer, request, type RequestListener } from "node:http";
import { duplexPair, Readable } from "node:stream";

export type InnerFetch = (
  address: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array; signal?: AbortSignal },
) => Promise<Response>;

const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Returns a `fetch` that sends requests to the service's own listener over a connection in memory. Rate limits, permissions and the audit
 * treat them as requests from `clientAddress`. The host in a URL has no effect.
 */
export function createInnerFetch(handle: RequestListener): (clientAddress: string) => InnerFetch {
  const server = createServer(handle);
  return (clientAddress) =>
    (address, { method = "GET", headers = {}, body, signal } = {}) =>
      new Promise((resolve, reject) => {
        const [near, far] = duplexPair();
        near.once("close", () => far.destroy());
        // The service reads the client's address from the connection.
        server.emit("connection", Object.assign(far, { remoteAddress: clientAddress }));
        const { host, pathname, search } = new URL(address);
        const sent = request({
          createConnection: () => near,
          method,
          path: pathname + search,
          headers: { ...headers, host },
          ...(signal && { signal }),
        });
        sent.once("error", reject);
        sent.once("response", (answer) => {
          const status = answer.statusCode!;
          const named = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
          const stream = WITHOUT_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
          if (stream === null) answer.resume();
          resolve(new Response(stream, { status, headers: named }));
        });
        sent.end(body);
      });
}
