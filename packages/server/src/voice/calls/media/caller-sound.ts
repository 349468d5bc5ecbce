import { FRAME_SAMPLES } from "../../audio/audio.ts";
import { toneOf } from "../../audio/key-tones.ts";
import { speechLevelOf } from "../../audio/level.ts";
import { mixed, noiseFactor, scaled } from "../../audio/mix.ts";
import { createSurroundings, SURROUNDINGS_DBFS } from "../../audio/surroundings/surroundings.ts";
import { CALL_RATE } from "../../audio/audio.ts";
import type { Surroundings } from "../call.ts";

/** The assumed level of the voice before the caller has spoken, in dBFS. */
const USUAL_SPEECH_DBFS = -20;

type CallerSound = {
  say: (samples: Int16Array) => void;
  /** Presses keys of the telephone, after the speech that still waits to be sent. */
  press: (keys: string) => void;
  /** Drops the speech that waits to be sent. */
  stop: () => void;
  readonly isSpeaking: boolean;
  readonly isPressing: boolean;
  /**
   * Returns the next frame: the speech alone (`clean`), and the speech with background noise (`sent`). `key` is the key whose tone begins
   * with the frame.
   */
  next: () => { clean: Int16Array; sent: Int16Array; key: string | null };
};

export function createCallerSound(surroundings: Surroundings | null, seed: string): CallerSound {
  const noise = surroundings && createSurroundings(surroundings.kind, seed);
  const waiting: { samples: Int16Array; key: string | null }[] = [];
  let at = 0;
  let speechDbfs = USUAL_SPEECH_DBFS;

  return {
    say(samples) {
      if (samples.length === 0) return;
      speechDbfs = speechLevelOf(samples, CALL_RATE);
      waiting.push({ samples, key: null });
    },
    press(keys) {
      for (const key of keys) waiting.push({ samples: toneOf(key), key });
    },
    stop() {
      waiting.length = 0;
      at = 0;
    },
    get isSpeaking() {
      return waiting.length > 0;
    },
    get isPressing() {
      return waiting[0]?.key != null;
    },
    next() {
      const clean = new Int16Array(FRAME_SAMPLES);
      const first = waiting[0];
      const key = at === 0 && first ? first.key : null;
      if (first) {
        clean.set(first.samples.subarray(at, at + FRAME_SAMPLES));
        at += FRAME_SAMPLES;
        if (at >= first.samples.length) {
          waiting.shift();
          at = 0;
        }
      }
      if (!noise) return { clean, sent: clean, key };
      const factor = noiseFactor(speechDbfs, SURROUNDINGS_DBFS, surroundings.snrDb);
      return { clean, sent: mixed(clean, scaled(noise(FRAME_SAMPLES), factor)), key };
    },
  };
}
