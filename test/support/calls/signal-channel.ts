import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

type Peer = { port: number; address: string };

/** Carries the SIP messages of a fake agent. */
export type SignalChannel = {
  transport: "UDP" | "TCP" | "TLS";
  port: number;
  send: (text: string, to: Peer) => void;
  onMessage: (receive: (text: string, from: Peer) => void) => void;
  close: () => void;
};

export async function openDatagrams(): Promise<SignalChannel> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    transport: "UDP",
    port: socket.address().port,
    send: (text, { port, address }) => socket.send(text, port, address),
    onMessage: (receive) => void socket.on("message", (datagram, from) => receive(datagram.toString(), from)),
    close: () => socket.close(),
  };
}

/** Listens on TCP, or on TLS with a key. It sends each message in pieces, with an empty line before the message. */
export async function openStreams(tls?: TlsOptions): Promise<SignalChannel> {
  const peers = new Map<number, Socket>();
  let receive: (text: string, from: Peer) => void = () => {};
  const accept = (socket: Socket) => {
    const from = { port: socket.remotePort!, address: socket.remoteAddress! };
    let unread = "";
    peers.set(from.port, socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      unread += bytes.toString("latin1");
      for (;;) {
        const [header = "", length] = /^[^]*?\r\nContent-Length: (\d+)\r\n\r\n/.exec(unread) ?? [];
        const end = header.length + Number(length);
        if (header === "" || unread.length < end) return;
        const text = unread.slice(0, end);
        unread = unread.slice(end);
        receive(text, from);
      }
    });
  };
  const server = tls ? createTlsServer(tls, accept) : createServer(accept);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    transport: tls ? "TLS" : "TCP",
    port: (server.address() as AddressInfo).port,
    send(text, { port }) {
      const socket = peers.get(port);
      for (const piece of `\r\n${text}`.match(/[^]{1,150}/g) ?? []) socket?.write(piece);
    },
    onMessage: (take) => void (receive = take),
    close() {
      for (const socket of peers.values()) socket.destroy();
      server.close();
    },
  };
}
