import { createHash, randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import {
  ATTRIBUTE,
  type Attribute,
  ERROR,
  MESSAGE,
  readStunMessage,
  type StunMessage,
  SUCCESS,
  writeStunMessage,
  writeXorEndpoint,
} from "../../packages/server/src/voice/calls/lines/room/stun-message.ts";
import { openTurnRelay } from "../../packages/server/src/voice/calls/lines/room/turn-relay.ts";
import type { PrivateAddresses } from "../../packages/server/src/base/net/outbound.ts";
import { until } from "../support/until.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
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

/** Returns the error code of a message; 0 for a success. */
const codeOf = (message: StunMessage): number => {
  const error = message.attribute(ATTRIBUTE.errorCode);
  return error === undefined ? 0 : error[2]! * 100 + error[3]!;
};

describe("the relay of a room's sound", () => {
  test("the relay of a room's sound asks for its own password, which no other program knows", async () => {
    const { relay, ask } = await turn("allow");
    expect(relay.server.urls[0]).toMatch(/^turn:127\.0\.0\.1:\d+\?transport=udp$/);
    const refused = await ask(MESSAGE.allocate, () => [], randomBytes(16));
    expect(refused.type).toBe(MESSAGE.allocate + ERROR);
    expect(codeOf(refused)).toBe(401);
    expect((await ask(MESSAGE.allocate)).type).toBe(MESSAGE.allocate + SUCCESS);
  });

  test("the relay of a room's sound carries data to an endpoint and back, also on a channel", async () => {
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

  test.each(["169.254.169.254", "100.100.100.200"])(
    "the relay of a room's sound never sends to %s",
    async (address) => {
      const { relay, ask, permit } = await turn("allow");
      await ask(MESSAGE.allocate);
      expect(await permit(address, 80)).toBe(403);
      expect(relay.refused()).toBe("forbidden_address");
    },
  );

  test("the relay of a room's sound sends to no private address where the service calls none", async () => {
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

  test("the relay of a room's sound passes nothing on from an endpoint to which the client may not send", async () => {
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

  test("the relay of a room's sound reaches at most 64 endpoints in a call, so that no media server scans ports with it", async () => {
    const { ask, permit } = await turn("allow");
    await ask(MESSAGE.allocate);
    const codes: number[] = [];
    for (let port = 1_000; port < 1_070; port++) codes.push(await permit("127.0.0.1", port));
    expect(codes.filter((code) => code === 0)).toHaveLength(64);
    expect(codes.slice(64)).toEqual([403, 403, 403, 403, 403, 403]);
  });
});
