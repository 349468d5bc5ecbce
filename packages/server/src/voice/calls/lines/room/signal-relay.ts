import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { OutboundFailure, outboundFaultOf, type PrivateAddresses } from "../../../../base/net/outbound.ts";
import { openSocket } from "../../../../base/net/outbound-socket.ts";
import { createAllowance } from "../allowance.ts";
import { isTrickle, judgeSignal } from "./signal-message.ts";

/** Relay through which a client on this machine reaches the signalling of one media server. */
export type SignalRelay = {
  /** The address for the client, on the loopback interface. It contains a secret, so that no other program can use the relay. */
  url: string;
  /** Returns why the last connection to the media server failed, without quoting the server; undefined when it did not fail. */
  failure: () => string | undefined;
  close: () => void;
};

type SignalRelayOptions = {
  url: string;
  privateAddresses: PrivateAddresses;
};

/** The paths of the WebSocket, newest first. A client tries the second path when the server does not have the first. */
const PATHS = new Set(["/rtc/v1", "/rtc"]);
const HANDSHAKE_TIMEOUT_MS = 5_000;
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** Largest number of connections of one client, which connects again when its connection breaks. */
const CONNECTIONS_MAX = 50;
/**
 * Limit of the bytes that the client receives at once. Messages that the client has not handled yet occupy many times their size in its
 * memory.
 */
const BYTES_AT_ONCE_MAX = 2 * 1024 * 1024;
const BYTES_PER_MS = 64;
const MESSAGES_AT_ONCE_MAX = 500;
const MESSAGES_PER_MS = 0.05;
/** Largest number of ICE candidates of the media server, because a client stores a pair of each of them with each of its own. */
const CANDIDATES_MAX = 30;
const UNSENT_BYTES_MAX = 8 * 1024 * 1024;
const GOING_AWAY = 1001;

/**
 * Opens a relay that connects only to the media server, with the same address rules as all outbound requests. It forwards only WebSocket
 * messages. It forwards no other answer of the server, because the third-party client follows redirects and prints the answers.
 */
export async function openSignalRelay({ url, privateAddresses }: SignalRelayOptions): Promise<SignalRelay> {
  const { host } = new URL(url);
  const secret = randomBytes(24).toString("base64url");
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX });
  const open = new Set<WebSocket>();
  const bytes = createAllowance(BYTES_AT_ONCE_MAX, BYTES_PER_MS);
  const messages = createAllowance(MESSAGES_AT_ONCE_MAX, MESSAGES_PER_MS);
  let connections = 0;
  let candidates = 0;
  let isRefused = false;
  let failure: string | undefined;

  const server = createServer((_request, response) => response.writeHead(502).end());
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const path = pathOf(request, secret);
    if (path === undefined) return refuse(socket, 404);
    if (isRefused || ++connections > CONNECTIONS_MAX) return refuse(socket, 502);
    connect(path, request, socket, head);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  function connect(path: string, request: IncomingMessage, client: Duplex, head: Buffer): void {
    let isDecided = false;
    const fail = (words: string) => {
      if (isDecided) return;
      isDecided = true;
      failure = words;
      refuse(client, 502);
    };
    let upstream: WebSocket;
    try {
      upstream = openSocket(new URL(`${url}${path}`), {
        headers: { authorization: request.headers.authorization ?? "" },
        privateAddresses,
        handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
        messageBytesMax: MESSAGE_BYTES_MAX,
      });
    } catch (error) {
      return fail(wordsOf(error, host));
    }
    const giveUp = () => upstream.terminate();
    open.add(upstream);
    client.once("close", giveUp);
    upstream.once("close", () => open.delete(upstream));
    upstream.on("error", (error) => fail(wordsOf(error, host)));
    upstream.once("unexpected-response", (_request, { statusCode = 0 }) => {
      // After a 404, a client tries its older path, because the server may not support the newer path.
      if (statusCode === 404) refuse(client, 404);
      fail(`${host} answered the caller's connection with status ${statusCode}`);
      upstream.terminate();
    });
    upstream.once("open", () => {
      client.off("close", giveUp);
      failure = undefined;
      isDecided = true;
      sockets.handleUpgrade(request, client, head, (joined) => join(joined, upstream));
    });
  }

  function join(client: WebSocket, upstream: WebSocket): void {
    open.add(client);
    client.once("close", () => {
      open.delete(client);
      upstream.close(GOING_AWAY);
    });
    upstream.once("close", () => client.close(GOING_AWAY));
    client.on("error", () => client.terminate());
    client.on("message", (data: Buffer, binary) => passOn(data, binary, upstream));
    upstream.on("message", (data: Buffer, binary) => {
      if (isRefused) return;
      if (!bytes.take(data.length) || !messages.take(1)) return giveUp("sent more messages than a call needs");
      const verdict = judgeSignal(data);
      if (verdict === "broken") return giveUp("sent a message that the package for rooms cannot read");
      if (verdict === "dropped" || (isTrickle(data) && ++candidates > CANDIDATES_MAX)) return;
      passOn(data, binary, client);
    });
    for (const event of ["ping", "pong"])
      upstream.on(event, () => {
        if (!messages.take(1)) giveUp("sent more messages than a call needs");
      });

    function giveUp(words: string): void {
      failure = `${host} ${words}`;
      isRefused = true;
      upstream.terminate();
    }
  }

  function passOn(data: Buffer, binary: boolean, to: WebSocket): void {
    if (to.readyState !== to.OPEN) return;
    if (to.bufferedAmount > UNSENT_BYTES_MAX) return to.terminate();
    to.send(data, { binary });
  }

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`,
    failure: () => failure,
    close() {
      for (const socket of open) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

function pathOf({ url = "" }: IncomingMessage, secret: string): string | undefined {
  const { pathname = "", search = "" } = URL.parse(url, "ws://127.0.0.1") ?? {};
  const path = pathname.startsWith(`/${secret}/`) ? pathname.slice(secret.length + 1) : "";
  return PATHS.has(path) ? path + search : undefined;
}

function refuse(client: Duplex, status: 404 | 502): void {
  if (client.writable) client.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function wordsOf(error: unknown, host: string): string {
  if (error instanceof OutboundFailure) return error.message;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const isLate = /closed before the connection was established/.test(message);
  const isHttp = !code.startsWith("WS_ERR_") && !/Sec-WebSocket|Upgrade header|subprotocol/i.test(message);
  return new OutboundFailure(isLate ? "timeout" : isHttp ? outboundFaultOf(code) : "not_http", host).message;
}
