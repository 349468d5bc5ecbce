import { FRAME_MS } from "../../audio/audio.ts";

/**
 * Largest number of frames at one wake-up. A late clock catches up over several wake-ups, because more frames at once would reach the agent
 * as a burst.
 */
const FRAMES_AT_ONCE_MAX = 2;

/** Largest delay from which the clock catches up. After a longer delay it skips frames, because catching up would distort the speech. */
const LATE_MAX_FRAMES = 50;

type FrameClock = {
  gapMaxMs: () => number;
  stop: () => void;
};

/** `isSkipped`: the time of the frame has passed, so its sound can no longer be sent. */
type OnFrame = (isSkipped: boolean) => void;

/** Calls `onFrame` every `FRAME_MS` of a monotonic clock, and catches up after delays of the process. */
export function startFrameClock(onFrame: OnFrame): FrameClock {
  const startedMs = performance.now();
  let frames = 0;
  let lastMs = startedMs;
  let gapMaxMs = 0;
  const stop = new AbortController();
  let timer: NodeJS.Timeout;

  function wake(): void {
    const nowMs = performance.now();
    const due = Math.floor((nowMs - startedMs) / FRAME_MS);
    if (frames < due) {
      gapMaxMs = Math.max(gapMaxMs, nowMs - lastMs);
      lastMs = nowMs;
    }
    if (due - frames > LATE_MAX_FRAMES) while (frames < due - 1) run(true);
    for (let count = 0; count < FRAMES_AT_ONCE_MAX && frames < due && !stop.signal.aborted; count++) run(false);
    if (!stop.signal.aborted) schedule();
  }

  function run(isSkipped: boolean): void {
    frames++;
    onFrame(isSkipped);
  }

  function schedule(): void {
    timer = setTimeout(wake, Math.max(1, startedMs + (frames + 1) * FRAME_MS - performance.now()));
  }

  schedule();
  return {
    gapMaxMs: () => Math.round(gapMaxMs),
    stop() {
      stop.abort();
      clearTimeout(timer);
    },
  };
}
