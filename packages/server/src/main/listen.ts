import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

const DRAIN_MS = 10_000;
const SWEEP_MS = 50;
/** A connection that is silent for this long is stalled: event streams send comments more often, and every wait is shorter. */
const STALLED_MS = 120_000;

/** The time after which a silent connection is closed, and the name of the setting that has the port. */
type ListenOptions = { stalledMs?: number; setting?: string };
export type Listening = { url: string; stop: () => Promise<void> };

/** Listens and closes stalled connections. `stop` lets open requests end, for at most 10 seconds. */
export async function listen(
  handle: RequestListener,
  port: number,
  host: string,
  { stalledMs = STALLED_MS, setting = "PORT" }: ListenOptions = {},
): Promise<Listening> {
  const server = createServer({ requestTimeout: 120_000, headersTimeout: 20_000, keepAliveTimeout: 65_000 }, handle);
  server.timeout = stalledMs;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Set ${setting} to a free port, or stop the program that uses it.`);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        // A connection that is still answering becomes idle later and would delay the close.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
          // Browsers open connections before they need them; Node counts none as idle before its first request.
          for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
        }, SWEEP_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}
