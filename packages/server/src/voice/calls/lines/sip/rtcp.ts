import type { ReceptionReport } from "./reception.ts";

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const CNAME = 1;
/** The reports of a call are far shorter. */
const BYTES_MAX = 1_500;
const BLOCK_BYTES = 24;
const LOST_MAX = 0x7f_ffff;
/** Seconds from 1900, the epoch of NTP, to 1970, the epoch of Unix time. */
const NTP_OFFSET_SECONDS = 2_208_988_800;

/** Report of the other side about the sound that this side sends. Its times are in units of 1/65,536 s. */
export type ReceiverReport = {
  reporter: number;
  lost: number;
  jitter: number;
  /** The middle 32 bits of the NTP time in the last report that the other side received from this side; 0 when it received none. */
  lastReport: number;
  delaySinceLastReport: number;
};

export type ControlMessage = {
  /** The other side's report about its own sound; null without one. */
  sender: { source: number; ntpMiddle: number; packets: number } | null;
  /** The report about the source that was passed to `readRtcp`; null without one. */
  receiver: ReceiverReport | null;
};

/** Returns undefined when the datagram is not a valid compound packet (RFC 3550). */
export function readRtcp(datagram: Buffer, ownSource: number): ControlMessage | undefined {
  if (datagram.length > BYTES_MAX || datagram.length < 8) return undefined;
  const message: ControlMessage = { sender: null, receiver: null };
  for (let at = 0; at < datagram.length;) {
    const packet = packetAt(datagram, at);
    if (!packet) return undefined;
    if (at === 0 && packet.type !== SENDER_REPORT && packet.type !== RECEIVER_REPORT) return undefined;
    if (!readReport(packet, ownSource, message)) return undefined;
    at += packet.bytes.length;
  }
  return message;
}

type Packet = { type: number; count: number; bytes: Buffer };

function packetAt(datagram: Buffer, at: number): Packet | undefined {
  if (datagram.length - at < 4 || datagram[at]! >> 6 !== 2) return undefined;
  const length = (datagram.readUInt16BE(at + 2) + 1) * 4;
  if (at + length > datagram.length) return undefined;
  return { type: datagram[at + 1]!, count: datagram[at]! & 31, bytes: datagram.subarray(at, at + length) };
}

/** Returns false when the packet is too short. */
function readReport({ type, count, bytes }: Packet, ownSource: number, message: ControlMessage): boolean {
  const isSender = type === SENDER_REPORT;
  if (!isSender && type !== RECEIVER_REPORT) return true;
  const blocksAt = isSender ? 28 : 8;
  if (bytes.length < blocksAt + count * BLOCK_BYTES) return false;
  const source = bytes.readUInt32BE(4);
  if (isSender) message.sender = { source, ntpMiddle: bytes.readUInt32BE(10), packets: bytes.readUInt32BE(20) };
  for (let at = blocksAt; at < blocksAt + count * BLOCK_BYTES; at += BLOCK_BYTES) {
    if (bytes.readUInt32BE(at) !== ownSource) continue;
    message.receiver = {
      reporter: source,
      lost: (bytes.readUInt32BE(at + 4) << 8) >> 8,
      jitter: bytes.readUInt32BE(at + 12),
      lastReport: bytes.readUInt32BE(at + 16),
      delaySinceLastReport: bytes.readUInt32BE(at + 20),
    };
  }
  return true;
}

/** Converts a time to the form of NTP: seconds, and the fraction of a second in units of 1/2^32. */
function ntpOf(unixMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(unixMs / 1_000);
  return {
    seconds: (seconds + NTP_OFFSET_SECONDS) % 2 ** 32,
    fraction: Math.floor(((unixMs - seconds * 1_000) / 1_000) * 2 ** 32),
  };
}

/** Returns the middle 32 bits of the NTP time, in units of 1/65,536 s. Reports contain the time of sending in this form. */
export function ntpMiddleOf(unixMs: number): number {
  const { seconds, fraction } = ntpOf(unixMs);
  return (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0;
}

type OwnReport = {
  source: number;
  cname: string;
  unixMs: number;
  timestamp: number;
  packets: number;
  octets: number;
  heard: (ReceptionReport & { source: number; lastReport: number; delaySinceLastReport: number }) | undefined;
  isLast: boolean;
};

/** Returns a compound packet: a sender or receiver report, the own name, and a BYE packet in the last report. */
export function writeRtcp(report: OwnReport): Buffer {
  const { source, cname, unixMs, timestamp, packets, octets, heard, isLast } = report;
  const { seconds, fraction } = ntpOf(unixMs);
  const own = packets === 0 ? [] : [seconds, fraction, timestamp, packets, octets];
  const block = heard
    ? [
        heard.source,
        (heard.fractionLost << 24) | (Math.max(-LOST_MAX, Math.min(LOST_MAX, heard.lost)) & 0xff_ffff),
        heard.highest,
        heard.jitter,
        heard.lastReport,
        heard.delaySinceLastReport,
      ]
    : [];
  return Buffer.concat([
    packetOf(packets === 0 ? RECEIVER_REPORT : SENDER_REPORT, heard ? 1 : 0, wordsOf([source, ...own, ...block])),
    packetOf(SOURCE_DESCRIPTION, 1, Buffer.concat([wordsOf([source]), nameOf(cname)])),
    ...(isLast ? [packetOf(GOODBYE, 1, wordsOf([source]))] : []),
  ]);
}

function packetOf(type: number, count: number, body: Buffer): Buffer {
  const header = Buffer.from([0x80 | count, type, 0, 0]);
  header.writeUInt16BE(body.length / 4, 2);
  return Buffer.concat([header, body]);
}

function wordsOf(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
}

/** Returns the item with the own name, padded with one to four zeros. */
function nameOf(cname: string): Buffer {
  const item = Buffer.concat([Buffer.from([CNAME, cname.length]), Buffer.from(cname, "latin1")]);
  return Buffer.concat([item, Buffer.alloc(4 - (item.length % 4))]);
}
