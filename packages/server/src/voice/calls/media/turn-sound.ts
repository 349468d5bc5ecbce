import { FRAME_MS, joined } from "../../audio/audio.ts";

/** Sound before the first edge belongs to a turn: a detector finds a soft start late. */
const LEAD_IN_FRAMES = 260 / FRAME_MS;
/** The sound of one turn that a recognizer gets at most. */
const TURN_FRAMES_MAX = 120_000 / FRAME_MS;

/** The sound of the agent's turn that is under way. */
type TurnSound = {
  add: (frame: Int16Array, isSpeaking: boolean) => void;
  /** Returns the sound of the turn that has ended. */
  take: () => Int16Array;
};

export function createTurnSound(): TurnSound {
  let frames: Int16Array[] = [];
  return {
    add(frame, isSpeaking) {
      if (!isSpeaking && frames.length >= LEAD_IN_FRAMES) frames.shift();
      if (frames.length < TURN_FRAMES_MAX) frames.push(frame);
    },
    take() {
      const sound = joined(frames);
      frames = [];
      return sound;
    },
  };
}
