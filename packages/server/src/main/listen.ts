import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { LIMITS } from "@svc/contract";
import { blockOf } from "../http/address-block.ts";

const DRAIN_MS = 10_000;
/** Time after which an incomplete request that sends no more bytes no longer delays a stop. */
const HALF_REQUEST_MS = 1_500;
/** Number of connections of one network that may have sent no byte. Browsers open a few connections in advance. */
const SILENT_MAX = 64;
/** Time in which a further connection has to send its first byte. */
const SILENT_MS = 5_000;
const SWEEP_MS = 50;
/**
 * Time without traffic after which a connection is closed in the middle of a request or of an answer. Event streams send comments more
 * often.
 */
const STALLED_MS = 60_000;
/**
 * Time without traffic after which a connection is closed while the service prepares an answer. It is longer than the longest request,
 * for which a language model drafts tests.
 */
export const ANSWER_MS = (LIMITS.promptDraftSeconds + 30) * 1_000;
/** Time for which an idle connection stays open. It is longer than the 60 s for which proxies reuse an idle connection. */
const KEEP_ALIVE_MS = 65_000;

/**
 * `stalledMs`, `answerMs` and `silentMs` limit silent connections, `drainMs` limits a stop. `setting` is the setting of the port, for
 * error messages.
 */
type ListenOptions = { stalledMs?: number; answerMs?: number; silentMs?: number; drainMs?: number; setting?: string };
export type Listening = { url: string; stop: () => Promise<void> };

/** Listens on the port, and closes stalled connections. `stop` waits for open requests, by default for at most 10 seconds. */
export async function listen(
  handle: RequestListener,
  port: number,
  host: string,
  {
    stalledMs = STALLED_MS,
    answerMs = ANSWER_MS,
    silentMs = SILENT_MS,
    drainMs = DRAIN_MS,
    setting = "PORT",
  }: ListenOptions = {},
): Promise<Listening> {
  const limits = { requestTimeout: 120_000, headersTimeout: 20_000, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(limits, handle);
  const sockets = new Set<Socket>();
  const limitSilence = createSilentLimit(silentMs);
  /** Answer of each connection that has an open request. */
  const answers = new Map<Socket, ServerResponse>();
  const isPreparing = (answer: ServerResponse | undefined) => answer?.req.complete === true && !answer.headersSent;
  /** Answers that the service was still preparing when their connection had been silent for `stalledMs`. */
  const late = new WeakSet<ServerResponse>();
  server.setTimeout(stalledMs, (socket) => {
    const answer = answers.get(socket);
    if (!isPreparing(answer) || late.has(answer!)) return void socket.destroy();
    late.add(answer!);
    socket.setTimeout(answerMs - stalledMs);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    limitSilence(socket);
  });
  server.on("request", (request, response) => {
    answers.set(request.socket, response);
    response.once("close", () => {
      // The connection's next request may have arrived before this answer ended.
      if (answers.get(request.socket) === response) answers.delete(request.socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw whyNotListening(error, { port, host, setting });
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), drainMs);
        const received = new Map<Socket, { bytes: number; sinceMs: number }>();
        // A connection that is still answering becomes idle later, and would then delay the close.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
          const nowMs = performance.now();
          for (const socket of sockets) {
            const last = received.get(socket);
            if (last?.bytes !== socket.bytesRead) received.set(socket, { bytes: socket.bytesRead, sinceMs: nowMs });
            const isWhole = answers.get(socket)?.req.complete === true;
            const isStuck = !isWhole && nowMs - (last?.sinceMs ?? nowMs) > HALF_REQUEST_MS;
            // Browsers open connections in advance. Node does not treat such a connection as idle before its first request.
            if (socket.bytesRead === 0 || isStuck) socket.destroy();
          }
        }, SWEEP_MS);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}

/**
 * When a network has `SILENT_MAX` connections that sent no byte, each further connection has to send its first byte
 * soon. Such connections therefore cannot block other clients.
 */
function createSilentLimit(silentMs: number): (socket: Socket) => void {
  const silentOf = new Map<string, Set<Socket>>();
  return (socket) => {
    const network = blockOf(socket.remoteAddress ?? "");
    const silent = silentOf.get(network) ?? new Set();
    silentOf.set(network, silent.add(socket));
    socket.once("close", () => {
      silent.delete(socket);
      if (silent.size === 0) silentOf.delete(network);
    });
    if (silent.size <= SILENT_MAX) return;
    for (const one of silent) if (one.bytesRead > 0) silent.delete(one);
    if (silent.size <= SILENT_MAX) return;
    const timer = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, silentMs);
    socket.once("close", () => clearTimeout(timer));
  };
}

function whyNotListening(
  error: NodeJS.ErrnoException,
  { port, host, setting }: { port: number; host: string; setting: string },
): Error {
  const another = "Set SVC_HOST to 127.0.0.1 for this machine alone, or to 0.0.0.0 for all of its addresses.";
  switch (error.code) {
    case "EADDRINUSE":
      return new Error(`Port ${port} is in use. Set ${setting} to a free port, or stop the program that uses it.`);
    case "EACCES":
      return new Error(`This user may not open port ${port}. Set ${setting} to a port from 1024 up.`);
    case "EADDRNOTAVAIL":
      return new Error(`SVC_HOST is ${host}, which is no address of this machine. ${another}`);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new Error(`SVC_HOST is ${host}, a name without an address. ${another}`);
    default:
      return error;
  }
}
