import { decodeMulaw, encodeMulaw } from "../../../voice/audio/mulaw.ts";
import { monoBytes } from "../../../voice/audio/wav-writing.ts";

/** How a media stream carries sound. */
export type StreamCodec = {
  rate: number;
  encode: (samples: Int16Array) => Buffer;
  decode: (bytes: Buffer) => Int16Array;
};

const CODECS: Record<string, StreamCodec> = {
  "audio/x-mulaw": { rate: 8_000, encode: (samples) => Buffer.from(encodeMulaw(samples)), decode: decodeMulaw },
  "audio/x-l16": {
    rate: 16_000,
    encode: monoBytes,
    decode: (bytes) => Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(at * 2)),
  },
};

/** Returns the codec of the media format that a stream starts with; undefined for another one. */
export const codecOf = (format: { encoding: string; sampleRate: number }): StreamCodec | undefined => {
  const codec = CODECS[format.encoding];
  return codec?.rate === format.sampleRate ? codec : undefined;
};
