import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import protobuf from "protobufjs/minimal.js";
import { afterEach, describe, expect, test } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { judgeSignal } from "../../packages/server/src/voice/calls/lines/room/signal-message.ts";
import { openSignalRelay } from "../../packages/server/src/voice/calls/lines/room/signal-relay.ts";
import type { PrivateAddresses } from "../../packages/server/src/base/net/outbound.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Returns a protobuf field with a text, or with a message that consists of fields. */
const text = (field: number, value: string | Buffer): Buffer =>
  protobuf.Writer.create()
    .uint32((field << 3) + 2)
    .bytes(Buffer.from(value))
    .finish() as Buffer;
const number = (field: number, value: number): Buffer =>
  protobuf.Writer.create()
    .uint32(field << 3)
    .int32(value)
    .finish() as Buffer;
const signal = (field: number, ...fields: Buffer[]): Buffer => text(field, Buffer.concat(fields));
const refreshToken = (token: string): Buffer => text(16, token);

describe("messages of a media server", () => {
  const SDP = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n";
  const candidate = (change: object = {}) =>
    JSON.stringify({
      candidate: "candidate:4234997325 1 udp 2043278322 192.0.2.3 44323 typ host",
      sdpMid: "0",
      sdpMLineIndex: 0,
      ...change,
    });
  const trickle = (json: string, target = 1) => signal(4, text(1, json), number(2, target));

  test.each<[string, Buffer, string]>([
    ["a join", signal(1, number(10, 15), number(11, 5)), "passed"],
    ["a join without an interval of pings", signal(1, number(10, 15)), "broken"],
    ["a join with a negative interval", signal(1, number(11, -1)), "broken"],
    ["a join with a negative time limit", signal(1, number(10, -1), number(11, 5)), "broken"],
    ["an answer", signal(2, text(1, "answer"), text(2, SDP)), "passed"],
    ["an answer without a type", signal(2, text(2, SDP)), "broken"],
    ["an answer that is no description", signal(2, text(1, "answer"), text(2, "kumquat")), "broken"],
    ["an offer", signal(3, text(1, "offer"), text(2, SDP)), "passed"],
    ["an offer of an unknown type", signal(3, text(1, "kumquat"), text(2, SDP)), "broken"],
    ["a candidate", trickle(candidate()), "passed"],
    ["a candidate of a name", trickle(candidate({ candidate: "candidate:1 1 UDP 1 a.local 9 typ host" })), "passed"],
    ["a candidate that is no JSON", trickle("kumquat"), "broken"],
    ["a candidate that is none", trickle(candidate({ candidate: "kumquat" })), "dropped"],
    ["a candidate without a place", trickle(candidate({ sdpMid: null })), "dropped"],
    ["a candidate for no side", trickle(candidate(), 7), "dropped"],
    ["another message", refreshToken("token"), "passed"],
    ["a message of an unknown kind", signal(99, text(1, "later")), "passed"],
    ["an empty message", Buffer.alloc(0), "passed"],
    ["a message that is cut", trickle(candidate()).subarray(0, 40), "broken"],
    ["a message after another in one", Buffer.concat([refreshToken("x"), signal(2, text(2, "kumquat"))]), "broken"],
  ])("%s is judged by what the package for rooms can read", (_name, message, verdict) => {
    expect(judgeSignal(message)).toBe(verdict);
  });
});

describe("the relay of a room's signalling", () => {
  /** Starts the HTTP side of a media server. The spec decides how it answers upgrades. */
  async function upstream(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, requests, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  async function relayTo(url: string, privateAddresses: PrivateAddresses = "allow") {
    const relay = await openSignalRelay({ url, privateAddresses });
    stops.push(relay.close);
    return relay;
  }

  /** Returns the status of a refused upgrade to WebSocket; 101 for an accepted one. */
  const statusOf = (url: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { headers: { authorization: "Bearer a-token" } });
      socket.once("open", () => {
        resolve(101);
        socket.terminate();
      });
      socket.once("unexpected-response", (_request, { statusCode }) => {
        resolve(statusCode!);
        socket.terminate();
      });
      socket.once("error", reject);
    });

  test("the relay of a room's signalling carries messages both ways, with the caller's token", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end());
    const tokens: (string | undefined)[] = [];
    new WebSocketServer({ server: media.server, path: "/base/rtc" }).on("connection", (socket, request) => {
      tokens.push(request.headers.authorization);
      socket.on("message", (data: Buffer) => socket.send(refreshToken(data.toString())));
    });
    const relay = await relayTo(`${media.url}/base`);
    const socket = new WebSocket(`${relay.url}/rtc?sdk=node`, { headers: { authorization: "Bearer a-token" } });
    await once(socket, "open");
    socket.send(Buffer.from("join"));
    const [answer] = (await once(socket, "message")) as [Buffer];
    expect(answer.equals(refreshToken("join"))).toBe(true);
    expect(tokens).toEqual(["Bearer a-token"]);
    expect(relay.failure()).toBeUndefined();
    socket.terminate();
  });

  test.each([301, 302, 307, 308])(
    "the relay of a room's signalling follows no redirect (%d), and says so without a word of the answer",
    async (status) => {
      const target = await upstream((_request, response) => response.end("INTERNAL"));
      const media = await upstream((_request, response) =>
        response.writeHead(status, { location: target.url.replace("ws", "http") }).end("SECRET"),
      );
      const relay = await relayTo(media.url);
      expect(await statusOf(`${relay.url}/rtc`)).toBe(502);
      expect(target.requests).toEqual([]);
      expect(relay.failure()).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered .* status ${status}$`));
    },
  );

  test("the relay of a room's signalling asks the media server nothing when a client validates its token, and answers without a body", async () => {
    const media = await upstream((_request, response) => response.writeHead(401).end("SECRET"));
    const relay = await relayTo(media.url);
    const answer = await fetch(`${relay.url.replace("ws", "http")}/rtc/validate`);
    expect([answer.status, await answer.text()]).toEqual([502, ""]);
    expect(media.requests).toEqual([]);
  });

  test("the relay of a room's signalling answers 404 for a path that the media server does not know, so that a client takes the older one", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end("SECRET"));
    const relay = await relayTo(media.url);
    expect(await statusOf(`${relay.url}/rtc/v1`)).toBe(404);
  });

  test("the relay of a room's signalling answers 404 to a request without the relay's secret, and for any other path", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end());
    const relay = await relayTo(media.url);
    const { origin } = new URL(relay.url);
    for (const url of [
      `${origin}//`,
      `${origin}/rtc`,
      `${origin}/wrong/rtc`,
      `${relay.url}/twirp/x`,
      `${relay.url}/rtc/../settings`,
    ])
      expect(await statusOf(url)).toBe(404);
    expect(media.requests).toEqual([]);
  });

  test.each([
    ["ws://169.254.169.254", "allow", /never calls/],
    ["ws://127.0.0.1:9", "refuse", /private address/],
    ["ws://127.0.0.1:9", "allow", /could not be reached/],
  ] as const)(
    "the relay of a room's signalling does not reach %s where private addresses are %s",
    async (url, privateAddresses, failure) => {
      const relay = await relayTo(url, privateAddresses);
      expect(await statusOf(`${relay.url}/rtc`)).toBe(502);
      expect(relay.failure()).toMatch(failure);
    },
  );

  test("the relay of a room's signalling ends the connection of a media server whose message the package for rooms cannot read", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end());
    new WebSocketServer({ server: media.server }).on("connection", (socket) => {
      socket.send(refreshToken("fine"));
      socket.send(signal(2, text(1, "answer"), text(2, "kumquat")));
      socket.send(refreshToken("never seen"));
    });
    const relay = await relayTo(media.url);
    const socket = new WebSocket(`${relay.url}/rtc`);
    const received: string[] = [];
    socket.on("message", (data: Buffer) => received.push(data.toString()));
    await once(socket, "close");
    expect(received.join()).toMatch(/fine$/);
    expect(relay.failure()).toMatch(/cannot read$/);
    expect(await statusOf(`${relay.url}/rtc`)).toBe(502);
  });

  test("the relay of a room's signalling ends the connection of a media server that floods it", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end());
    new WebSocketServer({ server: media.server }).on("connection", (socket) => {
      for (let message = 0; message < 30_000; message++) socket.send(refreshToken("x"));
    });
    const relay = await relayTo(media.url);
    const socket = new WebSocket(`${relay.url}/rtc`);
    await once(socket, "close");
    expect(relay.failure()).toMatch(/more messages than a call needs/);
  });
});
