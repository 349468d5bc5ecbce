import { FRAME_MS } from "../../audio/audio.ts";

/** Frames that are later than this are skipped: the agent would hear them as a burst. */
const LATE_MAX_MS = 200;

/** Calls with a gap over this many milliseconds between two frames have unreliable times. */
export const FRAME_GAP_MAX_MS = 60;

/** `isLate`: the frame's time has long passed, and its sound can only be heard, not sent. */
export type OnFrame = (frame: { index: number; isLate: boolean }) => void;

export type FrameClock = {
  /** The longest time between two frames, in milliseconds. */
  gapMaxMs: () => number;
  stop: () => void;
};

/** Runs `onFrame` for every frame of a call, each 10 ms after the one before, and catches up when the process was late. */
export function startFrameClock(onFrame: OnFrame): FrameClock {
  const startedMs = performance.now();
  let next = 0;
  let lastMs = startedMs;
  let gapMaxMs = 0;
  let timer: NodeJS.Timeout;

  function tick(): void {
    const nowMs = performance.now();
    const due = Math.floor((nowMs - startedMs) / FRAME_MS);
    if (next < due) {
      gapMaxMs = Math.max(gapMaxMs, nowMs - lastMs);
      lastMs = nowMs;
    }
    while (next < due) onFrame({ index: next++, isLate: (due - next) * FRAME_MS > LATE_MAX_MS });
    timer = setTimeout(tick, Math.max(1, startedMs + (next + 1) * FRAME_MS - performance.now()));
  }

  timer = setTimeout(tick, FRAME_MS);
  return { gapMaxMs: () => Math.round(gapMaxMs), stop: () => clearTimeout(timer) };
}
