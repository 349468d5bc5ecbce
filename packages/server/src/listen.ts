import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

const DRAIN_MS = 10_000;
const SWEEP_MS = 50;
/** Longer than any answer is silent: event streams tell that they are there, and waits are bounded. */
const STALLED_MS = 120_000;

type Listening = { url: string; stop: () => Promise<void> };

/** Listens, ends connections on which nothing moves, and stops by letting requests under way end within a bound. */
export async function listen(
  handle: RequestListener,
  port: number,
  host: string,
  stalledMs = STALLED_MS,
): Promise<Listening> {
  const server = createServer({ requestTimeout: 120_000, headersTimeout: 20_000, keepAliveTimeout: 65_000 }, handle);
  server.timeout = stalledMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(`The port ${port} is taken: set PORT to a free one, or stop what uses it.`);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        // A connection that answers its last request now becomes idle later, and would be waited for.
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}
