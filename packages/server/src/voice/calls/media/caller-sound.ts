import { FRAME_SAMPLES } from "../../audio/audio.ts";
import { speechLevelOf } from "../../audio/level.ts";
import { mixed, noiseFactor, scaled } from "../../audio/mix.ts";
import { createSurroundings, SURROUNDINGS_DBFS } from "../../audio/surroundings/surroundings.ts";
import { CALL_RATE } from "../../audio/audio.ts";
import type { Surroundings } from "../call.ts";

/** The assumed level of the voice before the caller has spoken, in dBFS. */
const USUAL_SPEECH_DBFS = -20;

type CallerSound = {
  say: (samples: Int16Array) => void;
  /** Drops the speech that waits to be sent. */
  stop: () => void;
  readonly isSpeaking: boolean;
  /** Returns the next frame: the speech alone (`clean`), and the speech with background noise (`sent`). */
  next: () => { clean: Int16Array; sent: Int16Array };
};

export function createCallerSound(surroundings: Surroundings | null, seed: string): CallerSound {
  const noise = surroundings && createSurroundings(surroundings.kind, seed);
  const waiting: Int16Array[] = [];
  let at = 0;
  let speechDbfs = USUAL_SPEECH_DBFS;

  return {
    say(samples) {
      if (samples.length === 0) return;
      speechDbfs = speechLevelOf(samples, CALL_RATE);
      waiting.push(samples);
    },
    stop() {
      waiting.length = 0;
      at = 0;
    },
    get isSpeaking() {
      return waiting.length > 0;
    },
    next() {
      const clean = new Int16Array(FRAME_SAMPLES);
      const first = waiting[0];
      if (first) {
        clean.set(first.subarray(at, at + FRAME_SAMPLES));
        at += FRAME_SAMPLES;
        if (at >= first.length) {
          waiting.shift();
          at = 0;
        }
      }
      if (!noise) return { clean, sent: clean };
      const factor = noiseFactor(speechDbfs, SURROUNDINGS_DBFS, surroundings.snrDb);
      return { clean, sent: mixed(clean, scaled(noise(FRAME_SAMPLES), factor)) };
    },
  };
}
