import { CALL_RATE, FULL_SCALE } from "../../packages/server/src/voice/audio/audio.ts";
import { stereoWavOf } from "../../packages/server/src/voice/audio/wav-writing.ts";

/** A tone on one side; `level` is a fraction of full scale. */
type Tone = { fromMs: number; toMs: number; level: number };

/** Returns a stereo WAV file of this length with tones of 500 Hz on the caller's and the agent's side. */
export const recordedWav = (lengthMs: number, caller: readonly Tone[], agent: readonly Tone[]): Buffer =>
  stereoWavOf(sideOf(lengthMs, caller), sideOf(lengthMs, agent), CALL_RATE);

/** Returns rectangular waves, whose every sample has the full level. */
function sideOf(lengthMs: number, tones: readonly Tone[]): Int16Array {
  const samples = new Int16Array((lengthMs * CALL_RATE) / 1_000);
  for (const { fromMs, toMs, level } of tones) {
    for (let at = (fromMs * CALL_RATE) / 1_000; at < (toMs * CALL_RATE) / 1_000; at++) {
      samples[at] = Math.round((at % 32 < 16 ? 1 : -1) * level * FULL_SCALE);
    }
  }
  return samples;
}
