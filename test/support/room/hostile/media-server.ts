import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { type Description, joinRequestIn, readRequest } from "./signals.ts";

/** The endpoints of a media server and of a token endpoint. */
export type Place =
  | "CreateRoom"
  | "CreateDispatch"
  | "ListDispatch"
  | "DeleteDispatch"
  | "DeleteRoom"
  | "validate"
  | "upgrade"
  | "token"
  | "other";

export type Answer = {
  status?: number;
  reason?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  json?: unknown;
  /** Bytes to write in place of a whole HTTP answer. The connection then ends. */
  raw?: string | Buffer;
  /** Never ends the answer. */
  isEndless?: boolean;
};

/** The signalling connection of one client. */
export type Signalling = {
  socket: WebSocket;
  /** The path of the client's request, below the path of the script, and its token. */
  path: string;
  token: string;
  /** The offer that the client sent with its request; undefined for the older protocol with two peer connections. */
  offer: string | undefined;
  isReconnect: boolean;
  send: (bytes: Buffer) => void;
  /** Calls back for each offer that the client sends later. */
  onOffer: (listener: (offer: Description) => void) => void;
};

/** What a media server does with a client whose signalling connection it has accepted. */
export type Talk = (client: Signalling) => void | Promise<void>;

/** The behavior of a media server towards the calls of one connection. */
export type Script = {
  /**
   * For each endpoint, an answer, or a function that returns the answer to the request with this number. Other endpoints give a
   * usual answer.
   */
  answers?: Partial<Record<Place, Answer | ((request: number) => Answer)>>;
  /** Accepts upgrades to WebSocket, and talks with the client. Without this function, an upgrade gets the answer of its endpoint. */
  signalling?: Talk;
  /** Refuses the protocol with one peer connection, so that clients use the older protocol. */
  isOld?: boolean;
  /** Handles upgrades to WebSocket instead of everything above. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

/** A request has this header only when an answer of the attacker has injected it. */
export const ADDED_HEADER = "x-added";

/** A request that arrived at one of the servers. */
export type Request = {
  to: string;
  port: number;
  line: string;
  script: string | undefined;
  place: Place;
  /** Whether the request has the injected header. */
  hasMore: boolean;
};

export type MediaServers = {
  /** Lets the script answer requests to a port, below the path `/{name}`. */
  play: (port: number, name: string, script: Script) => Promise<void>;
  /** Opens a canary at a port: a server that refuses every request with an answer that contains the word. */
  openCanary: (port: number) => Promise<void>;
  requests: Request[];
};

/**
 * Creates the media servers of an attacker. They listen at all addresses. At the attacker's addresses, they answer as the scripts
 * say. At all other addresses, they are canaries, whose answers contain the word.
 */
export function createMediaServers(attackers: readonly string[], word: string): MediaServers {
  const scripts = new Map<number, Map<string, Script>>();
  const requests: Request[] = [];
  const accepting = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  const bodyOfCanary = (to: string) => `${word} of the canary ${to}`;

  function received(request: IncomingMessage): Request & { played: Script | undefined; path: string } {
    const { localAddress = "", localPort: port = 0 } = request.socket;
    const to = localAddress.replace(/^::ffff:(?=\d+\.)/, "");
    const [, name = "", rest = ""] = /^\/([^/?]*)(.*)/.exec(request.url ?? "") ?? [];
    const here = attackers.includes(to) && to === attackers[0] ? scripts.get(port) : undefined;
    const script = here?.has(name) ? name : undefined;
    const played = script === undefined ? [...(here?.values() ?? [])].at(-1) : here!.get(script);
    const path = script === undefined ? request.url! : rest;
    const entry: Request = {
      to,
      port,
      line: `${request.method} ${request.url!.slice(0, 200)}`,
      script,
      place: placeOf(path, request),
      hasMore: request.headers[ADDED_HEADER] !== undefined,
    };
    requests.push(entry);
    return { ...entry, played, path };
  }

  const counts = new WeakMap<Script, Map<Place, number>>();
  function answerOf(script: Script, place: Place): Answer | undefined {
    const ofScript = counts.get(script) ?? new Map<Place, number>();
    counts.set(script, ofScript);
    const number = ofScript.get(place) ?? 0;
    ofScript.set(place, number + 1);
    const answer = script.answers?.[place];
    return typeof answer === "function" ? answer(number) : answer;
  }

  async function listen(port: number): Promise<void> {
    const server = createServer(async (request, response) => {
      const { played, place, to } = received(request);
      const body = Buffer.concat(await request.toArray().catch(() => [] as Buffer[]));
      if (played === undefined) return void response.writeHead(401, { "x-word": word }).end(bodyOfCanary(to));
      write(request.socket, answerOf(played, place) ?? usual(place, body));
    });
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => {});
      const { played, to, path } = received(request);
      if (played === undefined) {
        write(socket, { status: 401, body: bodyOfCanary(to) });
        return;
      }
      if (played.upgrade) return played.upgrade(request, socket, head);
      if (played.isOld && path.startsWith("/rtc/v1")) return write(socket, { status: 404, body: "no such path" });
      const answer = answerOf(played, "upgrade");
      if (answer !== undefined || !played.signalling)
        return write(socket, answer ?? { status: 403, body: `${word} of the upgrade` });
      accepting.handleUpgrade(request, socket, head, (opened) => {
        opened.on("error", () => {});
        const { offer, reconnect } = joinRequestIn(path);
        const listeners: ((offer: Description) => void)[] = [];
        opened.on("message", (data: RawData) => {
          const { offer: later } = readRequest(data as Buffer);
          if (later) for (const listener of listeners) listener(later);
        });
        void played.signalling!({
          socket: opened,
          path,
          token: (request.headers.authorization ?? "").replace("Bearer ", ""),
          offer: offer?.sdp,
          isReconnect: reconnect,
          send: (bytes) => opened.readyState === WebSocket.OPEN && opened.send(bytes),
          onOffer: (listener) => void listeners.push(listener),
        });
      });
    });
    server.on("clientError", (_error, socket) => socket.destroy());
    server.listen(port, "::");
    await once(server, "listening");
  }

  return {
    async play(port, name, script) {
      if (!scripts.has(port)) {
        scripts.set(port, new Map());
        await listen(port);
      }
      scripts.get(port)!.set(name, script);
    },
    async openCanary(port) {
      const canary = createTcpServer((socket: Socket) => {
        const to = socket.localAddress!.replace(/^::ffff:(?=\d+\.)/, "");
        socket.on("error", () => {});
        socket.once("data", (data) => {
          const line = data.toString("latin1").split("\r\n")[0]!.slice(0, 200);
          requests.push({ to, port, line, script: undefined, place: "other", hasMore: false });
          write(socket, { status: 401, body: bodyOfCanary(to) });
        });
      }).listen(port, "::");
      await once(canary, "listening");
    },
    requests,
  };
}

function placeOf(path: string, request: IncomingMessage): Place {
  const { pathname } = new URL(path, "http://media");
  if (request.headers.upgrade !== undefined) return "upgrade";
  if (pathname.endsWith("/validate")) return "validate";
  if (pathname.endsWith("/token")) return "token";
  const method = pathname.split("/").at(-1) as Place;
  return pathname.includes("/twirp/") ? method : "other";
}

/** Returns the answer of a media server on which everything works. */
function usual(place: Place, body: Buffer): Answer {
  const {
    room,
    name = room,
    dispatch_id,
  } = (place === "other" || body.length === 0 ? {} : JSON.parse(body.toString())) as Record<string, unknown>;
  if (place === "CreateRoom") return { json: { sid: "RM_1", name } };
  if (place === "CreateDispatch") return { json: { id: "AD_1", room } };
  if (place === "ListDispatch")
    return {
      json: {
        agent_dispatches: [{ id: dispatch_id, state: { jobs: [{ id: "AJ_1", state: { status: "JS_RUNNING" } }] } }],
      },
    };
  if (place === "token") return { json: { participant_token: TOKEN } };
  return { json: {} };
}

const TOKEN = [{ alg: "HS256" }, { sub: "svc-caller", video: { roomJoin: true } }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

/** Writes an answer by hand, because no library writes invalid answers. */
export function write(
  socket: Duplex,
  { status = 200, reason, headers = {}, body, json, raw, isEndless }: Answer,
): void {
  if (raw !== undefined) return void socket.end(raw);
  const bytes = Buffer.from(json === undefined ? (body ?? "") : JSON.stringify(json));
  const all: Record<string, string> = {
    "content-type": json === undefined ? "text/plain" : "application/json",
    "content-length": String(isEndless ? bytes.length + 1_000 : bytes.length),
    connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? "Unknown"}\r\n${lines.join("")}\r\n`);
  if (isEndless) return void socket.write(bytes);
  socket.end(bytes);
}

/** Returns the head of a valid answer to an upgrade to WebSocket. */
export const acceptanceOf = (request: IncomingMessage, more = ""): string => {
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${more}\r\n`;
};
