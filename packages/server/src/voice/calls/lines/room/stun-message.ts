import { createHmac, timingSafeEqual } from "node:crypto";
import { isIP, SocketAddress } from "node:net";
import { ipv6Bytes } from "../../../../base/net/address-guard.ts";

/** Message of STUN (RFC 8489) or TURN (RFC 8656). */
export type StunMessage = {
  type: number;
  transactionId: Buffer;
  attribute: (type: number) => Buffer | undefined;
  /** Returns whether the message has a MESSAGE-INTEGRITY attribute that was computed with this key. */
  isSignedWith: (key: Buffer) => boolean;
};

/** The type of a success response is the request's type plus 0x100; for an error response, plus 0x110. */
export const MESSAGE = {
  binding: 0x0001,
  allocate: 0x0003,
  refresh: 0x0004,
  createPermission: 0x0008,
  channelBind: 0x0009,
  send: 0x0016,
  data: 0x0017,
} as const;
export const SUCCESS = 0x0100;
export const ERROR = 0x0110;

export const ATTRIBUTE = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  channelNumber: 0x000c,
  lifetime: 0x000d,
  xorPeerAddress: 0x0012,
  data: 0x0013,
  realm: 0x0014,
  nonce: 0x0015,
  xorRelayedAddress: 0x0016,
  xorMappedAddress: 0x0020,
} as const;

export type Attribute = readonly [type: number, value: Buffer];

const HEADER_BYTES = 20;
const COOKIE = 0x2112a442;
const INTEGRITY_BYTES = 20;
const FAMILY = { 4: 1, 6: 2 } as const;

export function readStunMessage(bytes: Buffer): StunMessage | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE(4) !== COOKIE) return undefined;
  if (bytes.readUInt16BE(2) !== bytes.length - HEADER_BYTES) return undefined;
  const values = new Map<number, Buffer>();
  let signedBytes: number | undefined;
  for (let at = HEADER_BYTES; at < bytes.length;) {
    if (at + 4 > bytes.length) return undefined;
    const type = bytes.readUInt16BE(at);
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return undefined;
    if (!values.has(type)) values.set(type, bytes.subarray(at + 4, end));
    if (type === ATTRIBUTE.messageIntegrity) signedBytes ??= at;
    at = padded(end);
  }
  return {
    type: bytes.readUInt16BE(0),
    transactionId: bytes.subarray(8, HEADER_BYTES),
    attribute: (type) => values.get(type),
    isSignedWith(key) {
      const sent = values.get(ATTRIBUTE.messageIntegrity);
      if (signedBytes === undefined || sent?.length !== INTEGRITY_BYTES) return false;
      return timingSafeEqual(sent, signatureOf(bytes.subarray(0, signedBytes), key));
    },
  };
}

/** With a key, the message is signed. */
export function writeStunMessage(
  type: number,
  transactionId: Buffer,
  attributes: readonly Attribute[],
  key?: Buffer,
): Buffer {
  const parts = attributes.map(([attribute, value]) => encodeAttribute(attribute, value));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(COOKIE, 4);
  transactionId.copy(header, 8);
  const message = Buffer.concat([header, ...parts]);
  message.writeUInt16BE(message.length - HEADER_BYTES, 2);
  if (key === undefined) return message;
  const signed = Buffer.concat([message, encodeAttribute(ATTRIBUTE.messageIntegrity, signatureOf(message, key))]);
  signed.writeUInt16BE(signed.length - HEADER_BYTES, 2);
  return signed;
}

function encodeAttribute(type: number, value: Buffer): Buffer {
  const encoded = Buffer.alloc(padded(4 + value.length));
  encoded.writeUInt16BE(type, 0);
  encoded.writeUInt16BE(value.length, 2);
  value.copy(encoded, 4);
  return encoded;
}

/** Returns the MESSAGE-INTEGRITY signature. The length in the signed header includes the signature itself. */
function signatureOf(before: Buffer, key: Buffer): Buffer {
  const signed = Buffer.from(before);
  signed.writeUInt16BE(before.length - HEADER_BYTES + 4 + INTEGRITY_BYTES, 2);
  return createHmac("sha1", key).update(signed).digest();
}

const padded = (bytes: number): number => (bytes + 3) & ~3;

export type Endpoint = { address: string; port: number };

export function readXorEndpoint(value: Buffer | undefined, transactionId: Buffer): Endpoint | undefined {
  const bytes = value && xored(value, transactionId);
  if (bytes?.length === 8 && bytes[1] === FAMILY[4])
    return { address: [...bytes.subarray(4)].join("."), port: bytes.readUInt16BE(2) };
  if (bytes?.length !== 20 || bytes[1] !== FAMILY[6]) return undefined;
  const groups = Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(4 + 2 * group).toString(16));
  return {
    address: new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address,
    port: bytes.readUInt16BE(2),
  };
}

export function writeXorEndpoint({ address, port }: Endpoint, transactionId: Buffer): Buffer {
  const ip = Buffer.from(isIP(address) === 4 ? address.split(".").map(Number) : ipv6Bytes(address));
  const bytes = Buffer.concat([Buffer.alloc(4), ip]);
  bytes[1] = FAMILY[ip.length === 4 ? 4 : 6];
  bytes.writeUInt16BE(port, 2);
  return xored(bytes, transactionId);
}

/** XORs the port and the address with the cookie and the transaction id, so that no router rewrites them. */
function xored(value: Buffer, transactionId: Buffer): Buffer {
  const mask = Buffer.alloc(16);
  mask.writeUInt32BE(COOKIE, 0);
  transactionId.copy(mask, 4);
  const result = Buffer.from(value);
  for (let at = 2; at < 4 && at < result.length; at++) result[at]! ^= mask[at - 2]!;
  for (let at = 4; at < result.length; at++) result[at]! ^= mask[(at - 4) % 16]!;
  return result;
}
