/** A tone on one channel: its level is a fraction of full scale. */
export type Tone = { fromMs: number; toMs: number; level: number };

const RATE = 16_000;

/** Returns a stereo WAV file of this length with tones of 500 Hz on the caller's and the agent's channel. */
export function recordedWav(lengthMs: number, caller: readonly Tone[], agent: readonly Tone[]): Buffer {
  const frames = (lengthMs * RATE) / 1_000;
  const data = Buffer.alloc(frames * 4);
  for (const [channel, tones] of [caller, agent].entries()) {
    for (const { fromMs, toMs, level } of tones) {
      for (let frame = (fromMs * RATE) / 1_000; frame < (toMs * RATE) / 1_000; frame++) {
        // A rectangular wave, whose every sample has the full level.
        const sign = frame % 32 < 16 ? 1 : -1;
        data.writeInt16LE(Math.round(sign * level * 32_767), (frame * 2 + channel) * 2);
      }
    }
  }
  return Buffer.concat([headerOf(data.length), data]);
}

function headerOf(dataBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 4, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
