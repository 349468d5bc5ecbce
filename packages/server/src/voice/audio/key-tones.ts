import { CALL_RATE, FRAME_SAMPLES, joined, sampleOf } from "./audio.ts";
import { powerOf, SOUND_POWER } from "./level.ts";

const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1209, 1336, 1477, 1633];
/** The keys of a telephone in the order of rows and columns (ITU-T Q.23). */
const PAD = "123A456B789C*0#D";
/** Amplitude of each of the two tones. */
const AMPLITUDE = 6_000;

/** Length of the tone of a key and of the pause after it. Receivers need at least 40 ms of each (ITU-T Q.24). */
const KEY_MS = 150;
const TONE_SAMPLES = (KEY_MS * CALL_RATE) / 1_000;
const KEY_PAUSE_SAMPLES = (100 * CALL_RATE) / 1_000;

/** Returns the tone of a key and the pause after it, at `CALL_RATE`. */
export function toneOf(key: string): Int16Array {
  const at = PAD.indexOf(key);
  const tones = [ROWS_HZ[at >> 2]!, COLUMNS_HZ[at & 3]!];
  const sound = new Int16Array(TONE_SAMPLES + KEY_PAUSE_SAMPLES);
  for (let index = 0; index < TONE_SAMPLES; index++)
    sound[index] = sampleOf(
      tones.reduce((sum, hz) => sum + AMPLITUDE * Math.sin((2 * Math.PI * hz * index) / CALL_RATE), 0),
    );
  return sound;
}

/** The tones are searched in windows of two frames, one window for each frame. */
const WINDOW_SAMPLES = 2 * FRAME_SAMPLES;
/** Windows in a row that begin a key: a tone of 50 ms is found, and speech is hardly ever taken for a key. */
const WINDOWS_BEGIN = 3;
/** Windows in a row that end a key: a lost packet of 20 ms does not make two keys of one. */
const WINDOWS_END = 4;
/** Least share of the power that both tones together have. */
const SHARE_MIN = 0.7;
/** Largest ratio of the powers of the two tones, about 8 dB. */
const TWIST_MAX = 6.3;

type KeyDetector = {
  /** Takes the next frame. `key` is a key that has just been recognized; `isTone` says that the frame may belong to a key. */
  next: (frame: Int16Array) => { key: string | null; isTone: boolean };
};

/** Finds keys of a telephone in sound at `CALL_RATE` by their tones, with the algorithm of Goertzel. */
export function createKeyDetector(): KeyDetector {
  let before: Int16Array = new Int16Array(FRAME_SAMPLES);
  let candidate: string | null = null;
  let windows = 0;
  let pressed: string | null = null;
  let others = 0;
  return {
    next(frame) {
      const found = keyIn(joined([before, frame]));
      before = frame;
      windows = found !== null && found === candidate ? windows + 1 : 1;
      candidate = found;
      others = found === pressed ? 0 : others + 1;
      if (others >= WINDOWS_END) pressed = null;
      const isNew = found !== null && windows >= WINDOWS_BEGIN && pressed === null;
      if (isNew) {
        pressed = found;
        others = 0;
      }
      return { key: isNew ? found : null, isTone: found !== null };
    },
  };
}

function keyIn(window: Int16Array): string | null {
  const power = powerOf(window);
  if (power <= SOUND_POWER) return null;
  const row = loudest(window, ROWS_HZ);
  const column = loudest(window, COLUMNS_HZ);
  const ratio = row.power / column.power;
  if (row.power + column.power < SHARE_MIN * power || ratio > TWIST_MAX || ratio < 1 / TWIST_MAX) return null;
  return PAD[row.at * 4 + column.at]!;
}

function loudest(window: Int16Array, tonesHz: readonly number[]): { at: number; power: number } {
  const powers = tonesHz.map((hz) => powerAt(window, hz));
  const power = Math.max(...powers);
  return { at: powers.indexOf(power), power };
}

/** Returns the power of a sine wave of this frequency, in the unit of `powerOf`. */
function powerAt(window: Int16Array, hz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / CALL_RATE);
  let last = 0;
  let earlier = 0;
  for (const sample of window) {
    const next = sample + factor * last - earlier;
    earlier = last;
    last = next;
  }
  return (2 * (last * last + earlier * earlier - factor * last * earlier)) / WINDOW_SAMPLES ** 2 / 2 ** 30;
}
