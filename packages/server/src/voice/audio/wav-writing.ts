import type { Audio } from "./audio.ts";

export const WAV_HEADER_BYTES = 44;

/** The header of a file contains this length while its sound is still being written. Players read such a file to its end. */
const OPEN_LENGTH = 0xffff_ffff;

/**
 * Returns the header of a WAV file. While the length of the sound is unknown, `soundBytes` is null. A writer first writes a header without
 * the length, then the sound, and at the end overwrites the header with the length.
 */
export function wavHeader(rate: number, channels: number, soundBytes: number | null): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  const length = soundBytes ?? OPEN_LENGTH;
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(Math.min(OPEN_LENGTH, length + WAV_HEADER_BYTES - 8), 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(Math.min(OPEN_LENGTH, length), 40);
  return header;
}

export function stereoBytes(left: Int16Array, right: Int16Array): Buffer {
  const length = Math.max(left.length, right.length);
  const bytes = Buffer.alloc(length * 4);
  for (let at = 0; at < length; at++) {
    bytes.writeInt16LE(left[at] ?? 0, at * 4);
    bytes.writeInt16LE(right[at] ?? 0, at * 4 + 2);
  }
  return bytes;
}

export function monoBytes(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at++) bytes.writeInt16LE(samples[at]!, at * 2);
  return bytes;
}

export const wavOf = ({ samples, rate }: Audio): Buffer =>
  Buffer.concat([wavHeader(rate, 1, samples.length * 2), monoBytes(samples)]);

export function stereoWavOf(left: Int16Array, right: Int16Array, rate: number): Buffer {
  const sound = stereoBytes(left, right);
  return Buffer.concat([wavHeader(rate, 2, sound.length), sound]);
}
