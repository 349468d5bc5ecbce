import { CALL_RATE, FRAME_SAMPLES } from "../../audio/audio.ts";

/** Sound that waits longer than this is refused: no agent speaks for so long without a pause. */
const WAITING_MAX_MS = 5 * 60_000;

/** A mark in the sound: `reached` runs when everything before it has been played or cleared. */
type Mark = { at: number; reached: () => void };

/** The sound that the far end has sent and a caller has not heard yet, as a telephone provider keeps it. */
export type Playout = {
  /** Adds sound at `CALL_RATE`; returns whether it fits. */
  push: (samples: Int16Array) => boolean;
  /** Calls `reached` when the sound before it has been played, or is cleared. */
  mark: (reached: () => void) => void;
  /** Drops the waiting sound. */
  clear: () => void;
  /** Returns the next frame; silence where no sound waits. */
  next: () => Int16Array;
};

export function createPlayout(): Playout {
  const waiting: Int16Array[] = [];
  const marks: Mark[] = [];
  const samplesMax = (WAITING_MAX_MS * CALL_RATE) / 1_000;
  let pushed = 0;
  let played = 0;
  let firstAt = 0;

  function reachMarks(): void {
    while (marks.length > 0 && marks[0]!.at <= played) marks.shift()!.reached();
  }

  return {
    push(samples) {
      if (pushed - played + samples.length > samplesMax) return false;
      waiting.push(samples);
      pushed += samples.length;
      return true;
    },
    mark(reached) {
      marks.push({ at: pushed, reached });
      reachMarks();
    },
    clear() {
      waiting.length = 0;
      firstAt = 0;
      played = pushed;
      reachMarks();
    },
    next() {
      const frame = new Int16Array(FRAME_SAMPLES);
      let filled = 0;
      while (filled < frame.length && waiting.length > 0) {
        const first = waiting[0]!;
        const part = first.subarray(firstAt, firstAt + frame.length - filled);
        frame.set(part, filled);
        filled += part.length;
        firstAt += part.length;
        if (firstAt < first.length) continue;
        waiting.shift();
        firstAt = 0;
      }
      played += filled;
      reachMarks();
      return frame;
    },
  };
}
