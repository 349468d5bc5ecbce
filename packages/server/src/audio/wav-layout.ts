/** The layout of a WAV file with signed 16-bit samples; positions and lengths are bytes. */
export type WavLayout = { channels: number; rate: number; dataStart: number; dataBytes: number };

const PCM = 1;
const EXTENSIBLE = 0xfffe;
const BITS = 16;
const CHUNK_HEADER = 8;

/**
 * Returns the layout of a WAV file of `fileBytes` bytes from its first bytes; undefined when the file has no header or other
 * samples. A length in the header that exceeds the file is cut to the file's end.
 */
export function readWavLayout(head: Buffer, fileBytes: number): WavLayout | undefined {
  if (textAt(head, 0) !== "RIFF" || textAt(head, 8) !== "WAVE") return undefined;
  let format: { channels: number; rate: number } | undefined;
  for (let at = 12; at + CHUNK_HEADER <= head.length;) {
    const [id, length] = [textAt(head, at), head.readUInt32LE(at + 4)];
    const start = at + CHUNK_HEADER;
    if (id === "fmt " && start + 16 <= head.length) format = readFormat(head, start);
    if (id === "data") return format && layoutOf(format, start, Math.min(length, fileBytes - start));
    at = start + length + (length % 2);
  }
  return undefined;
}

function readFormat(head: Buffer, at: number): { channels: number; rate: number } | undefined {
  const encoding = head.readUInt16LE(at);
  const [channels, rate, bits] = [head.readUInt16LE(at + 2), head.readUInt32LE(at + 4), head.readUInt16LE(at + 14)];
  const isPlain = (encoding === PCM || encoding === EXTENSIBLE) && bits === BITS;
  return isPlain && channels > 0 && channels <= 2 && rate > 0 ? { channels, rate } : undefined;
}

function layoutOf({ channels, rate }: { channels: number; rate: number }, dataStart: number, bytes: number): WavLayout {
  const frameBytes = channels * (BITS / 8);
  return { channels, rate, dataStart, dataBytes: bytes - (bytes % frameBytes) };
}

const textAt = (bytes: Buffer, at: number) => bytes.toString("latin1", at, at + 4);
