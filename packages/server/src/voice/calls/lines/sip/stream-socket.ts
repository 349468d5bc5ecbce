import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createMessageStream } from "./message-stream.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens a connection over TCP, or over TLS with a certificate that must be valid for `host`. `hop` has an address of `host` that the
 * service may call.
 */
export async function openStreamSocket(hop: Hop, host: string, transport: "tcp" | "tls"): Promise<SignallingSocket> {
  const to = { host: hop.address, port: hop.port };
  const socket: Socket =
    transport === "tls" ? connectTls({ ...to, ...(isIP(host) === 0 && { servername: host }) }) : connect(to);
  socket.setNoDelay(true);
  const late = setTimeout(
    () => socket.destroy(Object.assign(new Error("connect timed out"), { code: "ETIMEDOUT" })),
    CONNECT_TIMEOUT_MS,
  );
  try {
    await once(socket, transport === "tls" ? "secureConnect" : "connect");
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
  // A lost connection is reported by the event `close`, which follows.
  socket.on("error", () => {});
  return {
    transport,
    own: { address: socket.localAddress!, port: socket.localPort! },
    send: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    onMessage(receive) {
      const stream = createMessageStream((message) => receive(message, hop));
      socket.on("data", (bytes: Buffer) => {
        if (!stream.push(bytes)) socket.destroy();
      });
    },
    admitAll() {},
    onUnreachable: (receive) => void socket.once("close", receive),
    close: () => void socket.destroy(),
  };
}
