import { randomBytes } from "node:crypto";
import type { Socket } from "node:dgram";
import { decodeAlaw, encodeAlaw } from "../../../audio/alaw.ts";
import { CALL_RATE, FRAME_MS, joined } from "../../../audio/audio.ts";
import { decodeMulaw, encodeMulaw } from "../../../audio/mulaw.ts";
import { createResampler } from "../../../audio/resample.ts";
import { createAllowance } from "../allowance.ts";
import { createJitterBuffer } from "./jitter-buffer.ts";
import { PAYLOAD_TYPES, type RemoteSound, type SipCodec } from "./sdp.ts";
import type { Hop } from "./signalling.ts";

const RATE = 8_000;
const FRAMES_PER_PACKET = 2;
const FRAME = (RATE * FRAME_MS) / 1_000;
const HEADER_BYTES = 12;
/** A peer sends at most 100 packets a second; more are not read. */
const PACKETS_AT_ONCE_MAX = 200;
const PACKETS_PER_MS = 0.2;
/** Another stream of the peer replaces one that has stopped for this long. */
const STREAM_STOPPED_MS = 100;

const CODECS: Record<
  SipCodec,
  { encode: (samples: Int16Array) => Uint8Array; decode: (codes: Uint8Array) => Int16Array }
> = {
  PCMU: { encode: encodeMulaw, decode: decodeMulaw },
  PCMA: { encode: encodeAlaw, decode: decodeAlaw },
};

/** The sound of one call over RTP (RFC 3550). */
export type RtpSound = {
  /** Sends to the other side, and hears it, as it described; `signalling` is the address that it signals from. */
  use: (remote: RemoteSound, signalling: string) => void;
  send: (frame: Int16Array) => void;
  hear: () => Int16Array;
  /** Returns for how long the other side has sent nothing although it should, in milliseconds. */
  silentMs: () => number;
  close: () => void;
};

type Stream = Hop & { source: number; atMs: number };

export function createRtpSound(socket: Socket): RtpSound {
  const source = randomBytes(4).readUInt32BE();
  const buffer = createJitterBuffer();
  const packets = createAllowance(PACKETS_AT_ONCE_MAX, PACKETS_PER_MS);
  const down = createResampler(CALL_RATE, RATE);
  const up = createResampler(RATE, CALL_RATE);
  const unsent: Int16Array[] = [];
  let remote: RemoteSound | undefined;
  let signalling = "";
  let stream: Stream | undefined;
  let sequence = randomBytes(2).readUInt16BE();
  let timestamp = randomBytes(4).readUInt32BE();
  let silentFrames = 0;
  let isOpen = true;

  /** Only the addresses of the peer count. Behind a NAT its sound comes from another port, or from where it signals. */
  function isOfPeer({ address, port }: Hop, from: number): boolean {
    if (!remote || (address !== remote.address && address !== signalling)) return false;
    const nowMs = performance.now();
    const isSame = stream?.address === address && stream.port === port && stream.source === from;
    if (!isSame && stream && nowMs - stream.atMs < STREAM_STOPPED_MS) return false;
    if (!isSame) buffer.reset();
    stream = { address, port, source: from, atMs: nowMs };
    return true;
  }

  socket.on("message", (packet, from) => {
    if (!packets.take(1)) return;
    const sound = payloadOf(packet);
    const codec = (Object.keys(PAYLOAD_TYPES) as SipCodec[]).find((one) => PAYLOAD_TYPES[one] === sound?.type);
    if (!sound || !codec || !isOfPeer(from, sound.source)) return;
    silentFrames = 0;
    buffer.push(sound.timestamp, CODECS[codec].decode(sound.payload));
  });

  const receives = () => remote?.direction === "sendrecv" || remote?.direction === "recvonly";
  const sends = () => remote?.direction === "sendrecv" || remote?.direction === "sendonly";

  return {
    use(described, from) {
      if (described.address !== remote?.address || described.port !== remote.port) stream = undefined;
      remote = described;
      signalling = from;
      silentFrames = 0;
    },

    send(frame) {
      unsent.push(frame);
      if (unsent.length < FRAMES_PER_PACKET) return;
      const samples = down.push(joined(unsent.splice(0)));
      sequence = (sequence + 1) & 0xffff;
      timestamp = (timestamp + samples.length) >>> 0;
      if (!remote || !isOpen || !receives()) return;
      const header = Buffer.alloc(HEADER_BYTES);
      header[0] = 0x80;
      header[1] = PAYLOAD_TYPES[remote.codec];
      header.writeUInt16BE(sequence, 2);
      header.writeUInt32BE(timestamp, 4);
      header.writeUInt32BE(source, 8);
      const { address, port } = stream ?? remote;
      socket.send([header, CODECS[remote.codec].encode(samples)], port, address, () => {});
    },

    hear() {
      if (sends()) silentFrames++;
      return up.push(buffer.next(FRAME));
    },

    silentMs: () => silentFrames * FRAME_MS,

    close() {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
    },
  };
}

type Payload = { type: number; timestamp: number; source: number; payload: Buffer };

/** Returns the payload of an RTP packet; undefined for any other datagram. */
function payloadOf(packet: Buffer): Payload | undefined {
  if (packet.length < HEADER_BYTES || packet[0]! >> 6 !== 2) return undefined;
  let start = HEADER_BYTES + (packet[0]! & 15) * 4;
  if (packet[0]! & 16) {
    if (packet.length < start + 4) return undefined;
    start += 4 + packet.readUInt16BE(start + 2) * 4;
  }
  const end = packet[0]! & 32 ? packet.length - packet.at(-1)! : packet.length;
  if (start >= end) return undefined;
  return {
    type: packet[1]! & 127,
    timestamp: packet.readUInt32BE(4),
    source: packet.readUInt32BE(8),
    payload: packet.subarray(start, end),
  };
}
