import { FRAME_SAMPLES } from "../../../audio/audio.ts";

/** Sound of half a second waits at most. */
const WAITING_MAX = 50;
/** Frames that always wait for this many frames delay the sound for nothing: one of them is dropped. */
const OBSERVED = 100;
const SPARE = 2;

/** The frames of a room that have arrived and are not heard yet. */
type RoomPlayout = {
  push: (frame: Int16Array) => void;
  /** Returns the next frame; silence when none has arrived. */
  next: () => Int16Array;
};

/** Creates an empty playout. It delays the sound no longer than the late frames of the last second need. */
export function createRoomPlayout(): RoomPlayout {
  const waiting: Int16Array[] = [];
  let fewest = WAITING_MAX;
  let heard = 0;

  return {
    push(frame) {
      if (waiting.length >= WAITING_MAX) waiting.shift();
      waiting.push(frame);
    },
    next() {
      fewest = Math.min(fewest, waiting.length);
      heard++;
      if (heard % OBSERVED === 0) {
        if (fewest > SPARE) waiting.shift();
        fewest = WAITING_MAX;
      }
      return waiting.shift() ?? new Int16Array(FRAME_SAMPLES);
    },
  };
}
