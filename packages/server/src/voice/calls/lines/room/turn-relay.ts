import { createHash, randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { type OutboundFault, type PrivateAddresses, refusalOf } from "../../../../base/net/outbound.ts";
import { createAllowance } from "../allowance.ts";
import {
  ATTRIBUTE,
  type Attribute,
  type Endpoint,
  ERROR,
  MESSAGE,
  readStunMessage,
  readXorEndpoint,
  type StunMessage,
  SUCCESS,
  writeStunMessage,
  writeXorEndpoint,
} from "./stun-message.ts";

/** TURN server (RFC 8656) on the loopback interface of this machine. A client sends all its sound through this server. */
export type TurnRelay = {
  server: { urls: string[]; username: string; password: string };
  /** Returns why the relay rejected the first forbidden address that the client named; undefined when it rejected no address. */
  refused: () => OutboundFault | undefined;
  close: () => void;
};

const REALM = "svc";
const LIFETIME_SECONDS = 600;
/** Largest number of TURN allocations. A client needs one for each combination of connection and network. */
const ALLOCATIONS_MAX = 32;
/**
 * Largest number of endpoints to which the relay sends. A media server names only a few. With more endpoints, it could make this machine
 * scan the ports of other machines.
 */
const PEERS_MAX = 64;
/** Limit of the packets that arrive at once. Sound needs 50 packets per second, and an agent may also send video. */
const PACKETS_AT_ONCE_MAX = 10_000;
const PACKETS_PER_MS = 2;
const CHANNEL_MIN = 0x4000;
const CHANNEL_MAX = 0x4fff;
const CHANNEL_HEADER_BYTES = 4;

/** The codes of error responses (RFC 8656, section 19). */
const REFUSED = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  allocationMismatch: 437,
  allocationQuotaReached: 486,
} as const;

type Family = 4 | 6;
type Reply = readonly Attribute[] | (typeof REFUSED)[keyof typeof REFUSED];

/** Socket through which one endpoint of the client reaches its peers, and the channel numbers of these peers. */
type Allocation = { outside: Socket; channels: Map<number, Endpoint>; channelOf: Map<string, number> };

/**
 * Opens a relay that sends only to addresses that the service may call. It forwards data to the client only from endpoints to which the
 * client may send. It serves IPv6 when the machine supports IPv6.
 */
export async function openTurnRelay(privateAddresses: PrivateAddresses): Promise<TurnRelay> {
  const username = randomBytes(12).toString("hex");
  const password = randomBytes(24).toString("hex");
  const key = createHash("md5").update(`${username}:${REALM}:${password}`).digest();
  const nonce = randomBytes(12).toString("hex");
  const allocations = new Map<string, Allocation>();
  const peers = new Set<string>();
  let refused: OutboundFault | undefined;

  function admit(peer: Endpoint): boolean {
    if (peers.has(keyOf(peer))) return true;
    const fault = refusalOf(peer.address, privateAddresses);
    refused ??= fault;
    if (fault !== undefined || peers.size >= PEERS_MAX) return false;
    peers.add(keyOf(peer));
    return true;
  }

  const isSigned = (message: StunMessage): boolean =>
    message.attribute(ATTRIBUTE.username)?.toString() === username && message.isSignedWith(key);

  const refusal = (code: number): Attribute[] => [
    [ATTRIBUTE.errorCode, Buffer.from([0, 0, Math.floor(code / 100), code % 100])],
    [ATTRIBUTE.realm, Buffer.from(REALM)],
    [ATTRIBUTE.nonce, Buffer.from(nonce)],
  ];

  function sendToPeer(peer: Endpoint | undefined, data: Buffer | undefined, allocation: Allocation | undefined): void {
    if (peer && data && admit(peer)) allocation?.outside.send(data, peer.port, peer.address);
  }

  function end(id: string): void {
    allocations.get(id)?.outside.close();
    allocations.delete(id);
  }

  async function openInside(family: Family): Promise<Socket> {
    const inside = createSocket({ type: `udp${family}`, ipv6Only: family === 6 });
    const ownAddress = addressOfMachine(family);
    // A packet that cannot be served is lost, as on any network. The client repeats its requests.
    inside.on("message", (bytes, client) => void serve(bytes, client).catch(() => {}));
    inside.on("error", () => {});
    inside.bind(0, family === 4 ? "127.0.0.1" : "::1");
    await once(inside, "listening");
    return inside;

    async function serve(bytes: Buffer, client: RemoteInfo): Promise<void> {
      const allocation = allocations.get(keyOf(client));
      const sent = readChannelData(bytes);
      if (sent) return sendToPeer(allocation?.channels.get(sent.channel), sent.data, allocation);
      const message = readStunMessage(bytes);
      if (message?.type === MESSAGE.send)
        return sendToPeer(peerIn(message), message.attribute(ATTRIBUTE.data), allocation);
      if (message === undefined || !REQUESTS.has(message.type)) return;
      const reply = await replyTo(message, client);
      const answer = Array.isArray(reply)
        ? writeStunMessage(message.type + SUCCESS, message.transactionId, reply, key)
        : writeStunMessage(message.type + ERROR, message.transactionId, refusal(reply as number));
      inside.send(answer, client.port, client.address);
    }

    async function replyTo(message: StunMessage, client: RemoteInfo): Promise<Reply> {
      const id = keyOf(client);
      const mapped = [ATTRIBUTE.xorMappedAddress, writeXorEndpoint(client, message.transactionId)] as const;
      if (message.type === MESSAGE.binding) return [mapped];
      if (!isSigned(message)) return REFUSED.unauthorized;
      const allocation = allocations.get(id);
      if (message.type === MESSAGE.allocate) {
        if (allocation === undefined && allocations.size >= ALLOCATIONS_MAX) return REFUSED.allocationQuotaReached;
        const { outside } = allocation ?? (await allocate(id, client));
        const relayed = { address: ownAddress, port: outside.address().port };
        return [
          [ATTRIBUTE.xorRelayedAddress, writeXorEndpoint(relayed, message.transactionId)],
          mapped,
          lifetime(LIFETIME_SECONDS),
        ];
      }
      if (allocation === undefined) return REFUSED.allocationMismatch;
      if (message.type === MESSAGE.refresh) {
        const seconds = message.attribute(ATTRIBUTE.lifetime)?.readUInt32BE(0) ?? LIFETIME_SECONDS;
        if (seconds === 0) end(id);
        return [lifetime(Math.min(seconds, LIFETIME_SECONDS))];
      }
      const peer = peerIn(message);
      if (peer === undefined) return REFUSED.badRequest;
      if (!admit(peer)) return REFUSED.forbidden;
      return message.type === MESSAGE.channelBind && !bindChannel(message, peer, allocation) ? REFUSED.badRequest : [];
    }

    async function allocate(id: string, client: RemoteInfo): Promise<Allocation> {
      const outside = createSocket({ type: `udp${family}`, ipv6Only: family === 6 });
      const allocation: Allocation = { outside, channels: new Map(), channelOf: new Map() };
      const packets = createAllowance(PACKETS_AT_ONCE_MAX, PACKETS_PER_MS);
      allocations.set(id, allocation);
      outside.on("error", () => {});
      outside.on("message", (bytes, peer) => {
        // A flood of packets would delay the frames of all calls in this process.
        if (!packets.take(1)) return end(id);
        if (!peers.has(keyOf(peer))) return;
        const channel = allocation.channelOf.get(keyOf(peer));
        const passedOn = channel === undefined ? dataIndication(bytes, peer) : channelData(channel, bytes);
        inside.send(passedOn, client.port, client.address);
      });
      outside.bind(0);
      await once(outside, "listening");
      return allocation;
    }
  }

  const inside4 = await openInside(4);
  const inside6 = await openInside(6).catch(() => undefined);
  const urls = [`turn:127.0.0.1:${inside4.address().port}?transport=udp`];
  if (inside6) urls.push(`turn:[::1]:${inside6.address().port}?transport=udp`);
  return {
    server: { urls, username, password },
    refused: () => refused,
    close() {
      for (const id of allocations.keys()) end(id);
      inside4.close();
      inside6?.close();
    },
  };
}

const REQUESTS: ReadonlySet<number> = new Set([
  MESSAGE.binding,
  MESSAGE.allocate,
  MESSAGE.refresh,
  MESSAGE.createPermission,
  MESSAGE.channelBind,
]);

const keyOf = ({ address, port }: Endpoint): string => `${address} ${port}`;

const peerIn = (message: StunMessage): Endpoint | undefined =>
  readXorEndpoint(message.attribute(ATTRIBUTE.xorPeerAddress), message.transactionId);

function bindChannel(message: StunMessage, peer: Endpoint, { channels, channelOf }: Allocation): boolean {
  const channel = message.attribute(ATTRIBUTE.channelNumber)?.readUInt16BE(0) ?? 0;
  if (channel < CHANNEL_MIN || channel > CHANNEL_MAX) return false;
  channels.set(channel, peer);
  channelOf.set(keyOf(peer), channel);
  return true;
}

function readChannelData(bytes: Buffer): { channel: number; data: Buffer } | undefined {
  if (bytes.length < CHANNEL_HEADER_BYTES) return undefined;
  const channel = bytes.readUInt16BE(0);
  const end = CHANNEL_HEADER_BYTES + bytes.readUInt16BE(2);
  if (channel < CHANNEL_MIN || channel > CHANNEL_MAX || end > bytes.length) return undefined;
  return { channel, data: bytes.subarray(CHANNEL_HEADER_BYTES, end) };
}

function channelData(channel: number, data: Buffer): Buffer {
  const header = Buffer.alloc(CHANNEL_HEADER_BYTES);
  header.writeUInt16BE(channel, 0);
  header.writeUInt16BE(data.length, 2);
  return Buffer.concat([header, data]);
}

function dataIndication(data: Buffer, peer: Endpoint): Buffer {
  const transactionId = randomBytes(12);
  const from = writeXorEndpoint(peer, transactionId);
  return writeStunMessage(MESSAGE.data, transactionId, [
    [ATTRIBUTE.xorPeerAddress, from],
    [ATTRIBUTE.data, data],
  ]);
}

function lifetime(seconds: number): Attribute {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(seconds);
  return [ATTRIBUTE.lifetime, value];
}

/** Returns the address under which other machines may reach this machine. A media server sees the real address in the first packet. */
function addressOfMachine(family: Family): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const others = all.filter((own) => own.family === `IPv${family}` && !own.internal && !own.address.startsWith("fe80"));
  return others[0]?.address ?? (family === 4 ? "127.0.0.1" : "::1");
}
