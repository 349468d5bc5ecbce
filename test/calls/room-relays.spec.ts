import { createHash, randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import protobuf from "protobufjs/minimal.js";
import { afterEach, describe, expect, test } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { judgeSignal } from "../../packages/server/src/calls/lines/room/signal-message.ts";
import { openSignalRelay } from "../../packages/server/src/calls/lines/room/signal-relay.ts";
import {
  ATTRIBUTE,
  type Attribute,
  ERROR,
  MESSAGE,
  readStunMessage,
  readXorEndpoint,
  type StunMessage,
  SUCCESS,
  writeStunMessage,
  writeXorEndpoint,
} from "../../packages/server/src/calls/lines/room/stun-message.ts";
import { openTurnRelay } from "../../packages/server/src/calls/lines/room/turn-relay.ts";
import type { PrivateAddresses } from "../../packages/server/src/outbound.ts";
import { until } from "../support/until.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe("messages of STUN", () => {
  /** The samples of RFC 5769, sections 2.1 to 2.3. */
  const PASSWORD = Buffer.from("VOkJxbRl1RmTxUk/WvJxBt");
  const REQUEST = `
    00 01 00 58 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 10 53 54 55 4e 20 74 65 73 74 20 63 6c
    69 65 6e 74 00 24 00 04 6e 00 01 ff 80 29 00 08 93 2f f9 b1 51 26 3b 36 00 06 00 09 65 76 74 6a 3a 68 36 76
    59 20 20 20 00 08 00 14 9a ea a7 0c bf d8 cb 56 78 1e f2 b5 b2 d3 f2 49 c1 b5 71 a2 80 28 00 04 e5 7a 3b cf`;
  const IPV4 = `
    01 01 00 3c 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
    00 20 00 08 00 01 a1 47 e1 12 a6 43 00 08 00 14 2b 91 f5 99 fd 9e 90 c3 8c 74 89 f9 2a f9 ba 53 f0 6b e7 d7
    80 28 00 04 c0 7d 4c 96`;
  const IPV6 = `
    01 01 00 48 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae 80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
    00 20 00 14 00 02 a1 47 01 13 a9 fa a5 d3 f1 79 bc 25 f4 b5 be d2 b9 d9 00 08 00 14 a3 82 95 4e 4b e6 7b f1
    17 84 c9 7c 82 92 c2 75 bf e3 ed 41 80 28 00 04 c8 fb 0b 4c`;
  const bytesOf = (sample: string) => Buffer.from(sample.replaceAll(/\s/g, ""), "hex");

  test("the request of RFC 5769 has its user name and its signature", () => {
    const message = readStunMessage(bytesOf(REQUEST))!;
    expect(message.attribute(ATTRIBUTE.username)!.toString()).toBe("evtj:h6vY");
    expect(message.isSignedWith(PASSWORD)).toBe(true);
    expect(message.isSignedWith(Buffer.from("another"))).toBe(false);
  });

  test.each([
    ["IPv4", IPV4, "192.0.2.1"],
    ["IPv6", IPV6, "2001:db8:1234:5678:11:2233:4455:6677"],
  ])("the answer of RFC 5769 over %s has its endpoint and its signature", (_name, sample, address) => {
    const message = readStunMessage(bytesOf(sample))!;
    const value = message.attribute(ATTRIBUTE.xorMappedAddress)!;
    expect(readXorEndpoint(value, message.transactionId)).toEqual({ address, port: 32_853 });
    expect(writeXorEndpoint({ address, port: 32_853 }, message.transactionId)).toEqual(value);
    expect(message.isSignedWith(PASSWORD)).toBe(true);
  });

  test("a written message is read with the same attributes and signature", () => {
    const key = randomBytes(16);
    const attributes: Attribute[] = [[ATTRIBUTE.realm, Buffer.from("abcde")]];
    const message = readStunMessage(writeStunMessage(MESSAGE.allocate, randomBytes(12), attributes, key))!;
    expect(message.attribute(ATTRIBUTE.realm)!.toString()).toBe("abcde");
    expect(message.isSignedWith(key)).toBe(true);
  });

  test("no bytes make the reader throw or read behind their end", () => {
    const sample = bytesOf(REQUEST);
    for (let at = 0; at < sample.length; at++) {
      readStunMessage(sample.subarray(0, at));
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(sample);
        changed[at] = value;
        const message = readStunMessage(changed);
        message?.isSignedWith(PASSWORD);
        if (message) readXorEndpoint(message.attribute(ATTRIBUTE.username), message.transactionId);
      }
    }
    expect(readStunMessage(Buffer.alloc(0))).toBeUndefined();
    expect(readStunMessage(Buffer.from("GET / HTTP/1.1\r\n\r\n    "))).toBeUndefined();
  });
});

/** A client of the relay, and a peer on this machine. */
async function turn(privateAddresses: PrivateAddresses) {
  const relay = await openTurnRelay(privateAddresses);
  const socket = await udp();
  const peer = await udp();
  stops.push(relay.close);
  const received: Buffer[] = [];
  socket.on("message", (bytes) => received.push(bytes));
  const arrived: { bytes: Buffer; port: number }[] = [];
  peer.on("message", (bytes, { port }) => arrived.push({ bytes, port }));
  const relayPort = Number(/:(\d+)\?/.exec(relay.server.urls[0]!)![1]);
  const key = createHash("md5").update(`${relay.server.username}:svc:${relay.server.password}`).digest();
  const write = (bytes: Buffer) => socket.send(bytes, relayPort, "127.0.0.1");

  async function ask(
    type: number,
    attributesOf: (transactionId: Buffer) => Attribute[] = () => [],
    signedWith: Buffer = key,
  ): Promise<StunMessage> {
    const transactionId = randomBytes(12);
    const userName: Attribute = [ATTRIBUTE.username, Buffer.from(relay.server.username)];
    write(writeStunMessage(type, transactionId, [userName, ...attributesOf(transactionId)], signedWith));
    return until("the answer of the relay", async () =>
      received.map(readStunMessage).find((message) => message?.transactionId.equals(transactionId)),
    );
  }

  const toPeer =
    (address: string, port: number) =>
    (transactionId: Buffer): Attribute => [
      ATTRIBUTE.xorPeerAddress,
      writeXorEndpoint({ address, port }, transactionId),
    ];

  const permit = async (address: string, port: number): Promise<number> =>
    codeOf(await ask(MESSAGE.createPermission, (id) => [toPeer(address, port)(id)]));

  const bind = async (channel: Buffer, address: string, port: number): Promise<number> =>
    codeOf(
      await ask(MESSAGE.channelBind, (id) => [
        [ATTRIBUTE.channelNumber, Buffer.concat([channel, Buffer.alloc(2)])],
        toPeer(address, port)(id),
      ]),
    );

  function send(address: string, port: number, data: string): void {
    const transactionId = randomBytes(12);
    const attributes: Attribute[] = [toPeer(address, port)(transactionId), [ATTRIBUTE.data, Buffer.from(data)]];
    write(writeStunMessage(MESSAGE.send, transactionId, attributes));
  }

  return { relay, ask, permit, bind, send, write, peer, arrived, received, peerPort: peer.address().port };
}

async function udp(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  stops.push(() => socket.close());
  return socket;
}

/** Returns the code of a refusal; 0 for a success. */
const codeOf = (message: StunMessage): number => {
  const error = message.attribute(ATTRIBUTE.errorCode);
  return error === undefined ? 0 : error[2]! * 100 + error[3]!;
};

describe("the relay of a room's sound", () => {
  test("asks for its own password, which no other program knows", async () => {
    const { relay, ask } = await turn("allow");
    expect(relay.server.urls[0]).toMatch(/^turn:127\.0\.0\.1:\d+\?transport=udp$/);
    const refused = await ask(MESSAGE.allocate, () => [], randomBytes(16));
    expect(refused.type).toBe(MESSAGE.allocate + ERROR);
    expect(codeOf(refused)).toBe(401);
    expect((await ask(MESSAGE.allocate)).type).toBe(MESSAGE.allocate + SUCCESS);
  });

  test("carries data to an endpoint and back, also on a channel", async () => {
    const { ask, permit, bind, send, write, peer, peerPort, arrived, received } = await turn("allow");
    await ask(MESSAGE.allocate);
    expect(await permit("127.0.0.1", peerPort)).toBe(0);
    send("127.0.0.1", peerPort, "hello");
    const { bytes, port } = await until("data at the peer", async () => arrived[0]);
    expect(bytes.toString()).toBe("hello");
    peer.send("and back", port, "127.0.0.1");
    const indication = await until("data of the peer", async () =>
      received.map(readStunMessage).find((message) => message?.type === MESSAGE.data),
    );
    expect(indication.attribute(ATTRIBUTE.data)!.toString()).toBe("and back");

    const channel = Buffer.from([0x40, 0x00, 0x00, 0x05]);
    expect(await bind(channel.subarray(0, 2), "127.0.0.1", peerPort)).toBe(0);
    write(Buffer.concat([channel, Buffer.from("again")]));
    await until("data of the channel at the peer", async () => arrived[1]?.bytes.toString() === "again");
    peer.send("reply", port, "127.0.0.1");
    await until("data of the peer on the channel", async () =>
      received.some((bytes) => bytes.equals(Buffer.concat([channel, Buffer.from("reply")]))),
    );
  });

  test.each(["169.254.169.254", "100.100.100.200"])("never sends to %s", async (address) => {
    const { relay, ask, permit } = await turn("allow");
    await ask(MESSAGE.allocate);
    expect(await permit(address, 80)).toBe(403);
    expect(relay.refused()).toBe("forbidden_address");
  });

  test("sends to no private address where the service calls none", async () => {
    const { relay, ask, permit, send, peerPort, arrived } = await turn("refuse");
    await ask(MESSAGE.allocate);
    expect(await permit("127.0.0.1", peerPort)).toBe(403);
    expect(await permit("10.0.0.5", 443)).toBe(403);
    send("127.0.0.1", peerPort, "hello");
    // The answer to a later message shows that the relay has handled the data.
    expect(await permit("192.168.1.1", 1)).toBe(403);
    expect(arrived).toEqual([]);
    expect(relay.refused()).toBe("private_address");
  });

  test("passes nothing on from an endpoint to which the client may not send", async () => {
    const { ask, permit, send, peer, peerPort, arrived, received } = await turn("allow");
    await ask(MESSAGE.allocate);
    await permit("127.0.0.1", peerPort);
    send("127.0.0.1", peerPort, "hello");
    const { port } = await until("data at the peer", async () => arrived[0]);
    const stranger = await udp();
    stranger.send("from a stranger", port, "127.0.0.1");
    peer.send("from the peer", port, "127.0.0.1");
    await until("data of the peer", async () => received.some((bytes) => bytes.includes("from the peer")));
    expect(received.some((bytes) => bytes.includes("from a stranger"))).toBe(false);
  });

  test("reaches at most 64 endpoints in a call, so that no media server scans ports with it", async () => {
    const { ask, permit } = await turn("allow");
    await ask(MESSAGE.allocate);
    const codes: number[] = [];
    for (let port = 1_000; port < 1_070; port++) codes.push(await permit("127.0.0.1", port));
    expect(codes.filter((code) => code === 0)).toHaveLength(64);
    expect(codes.slice(64)).toEqual([403, 403, 403, 403, 403, 403]);
  });
});

/** Returns a field with a text, or with a message of fields. */
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
  /** A media server's HTTP side, which answers upgrades as the spec says. */
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

  /** Returns the status of a refused WebSocket; 101 for an open one. */
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

  test("carries messages both ways, with the caller's token", async () => {
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
    "follows no redirect (%d), and says so without a word of the answer",
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

  test("asks the media server nothing when a client validates its token, and answers without a body", async () => {
    const media = await upstream((_request, response) => response.writeHead(401).end("SECRET"));
    const relay = await relayTo(media.url);
    const answer = await fetch(`${relay.url.replace("ws", "http")}/rtc/validate`);
    expect([answer.status, await answer.text()]).toEqual([502, ""]);
    expect(media.requests).toEqual([]);
  });

  test("answers 404 for a path that the media server does not know, so that a client takes the older one", async () => {
    const media = await upstream((_request, response) => response.writeHead(404).end("SECRET"));
    const relay = await relayTo(media.url);
    expect(await statusOf(`${relay.url}/rtc/v1`)).toBe(404);
  });

  test("serves no program without its secret, and no other path", async () => {
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
  ] as const)("does not reach %s where private addresses are %s", async (url, privateAddresses, failure) => {
    const relay = await relayTo(url, privateAddresses);
    expect(await statusOf(`${relay.url}/rtc`)).toBe(502);
    expect(relay.failure()).toMatch(failure);
  });

  test("ends the connection of a media server whose message the package for rooms cannot read", async () => {
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

  test("ends the connection of a media server that floods it", async () => {
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
