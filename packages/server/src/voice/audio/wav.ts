import { readWavLayout, WavError } from "./wav-layout.ts";

type Wav = { rate: number; channels: Int16Array[] };

/** The default limit of samples in a file: 2 hours of stereo sound at 16 kHz. */
const MAX_SAMPLES = 2 * 3_600 * 2 * 16_000;

/** Reads a WAV file with 16-bit samples. Throws a `WavError` for any other file, and for a file with more than `maxSamples` samples. */
export function readWav(bytes: Uint8Array, maxSamples = MAX_SAMPLES): Wav {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { rate, channels, dataStart, dataBytes } = readWavLayout(file);
  if (dataBytes / 2 > maxSamples) {
    throw new WavError(`The WAV file has ${dataBytes / 2} samples; at most ${maxSamples} are read.`);
  }
  const length = dataBytes / 2 / channels;
  const sound = Array.from({ length: channels }, () => new Int16Array(length));
  for (const [channel, samples] of sound.entries()) {
    for (let at = 0; at < length; at++) samples[at] = file.readInt16LE(dataStart + (at * channels + channel) * 2);
  }
  return { rate, channels: sound };
}
