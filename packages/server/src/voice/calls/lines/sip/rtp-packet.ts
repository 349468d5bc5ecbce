const HEADER_BYTES = 12;

/** RTP packet (RFC 3550, section 5.1). */
export type RtpPacket = {
  type: number;
  isMarked: boolean;
  sequence: number;
  timestamp: number;
  source: number;
  payload: Uint8Array;
};

export function readRtp(datagram: Buffer): RtpPacket | undefined {
  if (datagram.length < HEADER_BYTES || datagram[0]! >> 6 !== 2) return undefined;
  let start = HEADER_BYTES + (datagram[0]! & 15) * 4;
  if (datagram[0]! & 16) {
    if (datagram.length < start + 4) return undefined;
    start += 4 + datagram.readUInt16BE(start + 2) * 4;
  }
  const end = datagram[0]! & 32 ? datagram.length - datagram.at(-1)! : datagram.length;
  if (start >= end) return undefined;
  return {
    type: datagram[1]! & 127,
    isMarked: (datagram[1]! & 128) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    source: datagram.readUInt32BE(8),
    payload: datagram.subarray(start, end),
  };
}

export function writeRtp({ type, isMarked, sequence, timestamp, source, payload }: RtpPacket): Uint8Array[] {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = 0x80;
  header[1] = type | (isMarked ? 128 : 0);
  header.writeUInt16BE(sequence, 2);
  header.writeUInt32BE(timestamp, 4);
  header.writeUInt32BE(source, 8);
  return [header, payload];
}
