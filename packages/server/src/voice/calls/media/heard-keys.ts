import { FRAME_MS } from "../../audio/audio.ts";
import { createKeyDetector } from "../../audio/key-tones.ts";
import type { CallEvent } from "../call.ts";

/** After this pause, further keys are another turn. */
const PAUSE_MS = 1_000;
/** The caller's own tones can return as an echo for this long. */
const ECHO_MS = 500;
/** Largest number of keys in one turn. */
const KEYS_MAX = 64;

type Pressed = Extract<CallEvent, { kind: "pressed" }>;

type HeardKeys = {
  /** Takes a key that the line received outside the sound. The tones in the sound then mean nothing. */
  take: (key: string) => void;
  /**
   * Takes the agent's next frame. `pressed` are the keys of a turn that is complete; `isTone` says that the frame has the tone of a
   * key, and is no speech.
   */
  next: (agent: Int16Array, isCallerPressing: boolean) => { pressed: Pressed | null; isTone: boolean };
  finish: () => Pressed | null;
};

export function createHeardKeys(): HeardKeys {
  const detector = createKeyDetector();
  let hasEvents = false;
  let echoUntilMs = 0;
  let nowMs = 0;
  let turn: Pressed | null = null;

  function add(key: string): void {
    turn ??= { kind: "pressed", keys: "", startedMs: nowMs, endedMs: nowMs };
    if (turn.keys.length < KEYS_MAX) turn.keys += key;
    turn.endedMs = nowMs;
  }

  function finish(): Pressed | null {
    const complete = turn;
    turn = null;
    return complete;
  }

  return {
    take(key) {
      hasEvents = true;
      add(key);
    },

    next(agent, isCallerPressing) {
      nowMs += FRAME_MS;
      if (isCallerPressing) echoUntilMs = nowMs + ECHO_MS;
      const { key, isTone } = detector.next(agent);
      const isOwn = nowMs < echoUntilMs;
      if (key !== null && !isOwn && !hasEvents) add(key);
      const isComplete = turn !== null && nowMs - turn.endedMs >= PAUSE_MS;
      return { pressed: isComplete ? finish() : null, isTone: isTone && !isOwn };
    },

    finish,
  };
}
