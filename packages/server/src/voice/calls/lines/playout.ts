import { CALL_RATE, FRAME_MS, FRAME_SAMPLES } from "../../audio/audio.ts";
import { decodeMulaw, MULAW_SILENCE } from "../../audio/mulaw.ts";
import { createResampler } from "../../audio/resample.ts";
import type { Codec } from "../call.ts";

/** Largest duration of buffered sound, as of telephony providers. No agent speaks for so long without a pause. */
const WAITING_MAX_MS = 10 * 60_000;
const MARKS_MAX = 10_000;

type Mark = { at: number; reached: () => void };

/** Sound that an agent has sent and the caller has not heard yet, as a telephony provider buffers it. */
type Playout = {
  /** Returns false when the buffer has no room for the sound. */
  push: (encoded: Buffer) => boolean;
  /** Adds a mark: `reached` runs when the sound before it has been played or cleared. Returns false when there are too many marks. */
  mark: (reached: () => void) => boolean;
  clear: () => void;
  /** Returns the next frame at `CALL_RATE`, padded with silence when too little sound waits. */
  next: () => Int16Array;
};

/** A decoder converts successive encoded frames to frames at `CALL_RATE`. */
type Decoding = { frameBytes: number; silence: number; decoder: () => (encoded: Buffer) => Int16Array };

const DECODINGS: Record<Codec, Decoding> = {
  mulaw_8k: {
    frameBytes: (8_000 * FRAME_MS) / 1_000,
    silence: MULAW_SILENCE,
    decoder() {
      const { push } = createResampler(8_000, CALL_RATE);
      return (encoded) => push(decodeMulaw(encoded));
    },
  },
  pcm_16k: {
    frameBytes: FRAME_SAMPLES * 2,
    silence: 0,
    decoder: () => (encoded) => Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => encoded.readInt16LE(at * 2)),
  },
};

/** Decodes each frame only when the frame is played, so that a long message does not delay other calls. */
export function createPlayout(codec: Codec): Playout {
  const { frameBytes, silence, decoder } = DECODINGS[codec];
  const bytesMax = (frameBytes / FRAME_MS) * WAITING_MAX_MS;
  const waiting: Buffer[] = [];
  const marks: Mark[] = [];
  let decode = decoder();
  let pushed = 0;
  let played = 0;
  let firstAt = 0;

  function reachMarks(): void {
    while (marks.length > 0 && marks[0]!.at <= played) marks.shift()!.reached();
  }

  return {
    push(encoded) {
      if (pushed - played + encoded.length > bytesMax) return false;
      if (encoded.length > 0) waiting.push(encoded);
      pushed += encoded.length;
      return true;
    },
    mark(reached) {
      if (marks.length >= MARKS_MAX) return false;
      marks.push({ at: pushed, reached });
      reachMarks();
      return true;
    },
    clear() {
      waiting.length = 0;
      firstAt = 0;
      played = pushed;
      decode = decoder();
      reachMarks();
    },
    next() {
      const frame = Buffer.alloc(frameBytes, silence);
      let filled = 0;
      while (filled < frameBytes && waiting.length > 0) {
        const first = waiting[0]!;
        const part = first.subarray(firstAt, firstAt + frameBytes - filled);
        frame.set(part, filled);
        filled += part.length;
        firstAt += part.length;
        if (firstAt < first.length) continue;
        waiting.shift();
        firstAt = 0;
      }
      played += filled;
      reachMarks();
      return decode(frame);
    },
  };
}

/** Limit of waiting frames: half a second of sound. */
const WAITING_MAX = 50;
/**
 * If at all times during the last `OBSERVED` frames more than `SPARE` frames waited, one waiting frame is dropped, because it only delays
 * the sound.
 */
const OBSERVED = 100;
const SPARE = 2;

type RoomPlayout = {
  push: (frame: Int16Array) => void;
  next: () => Int16Array;
};

/** Buffers the sound of a room. It delays the sound only as long as the late frames of the last second require. */
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
