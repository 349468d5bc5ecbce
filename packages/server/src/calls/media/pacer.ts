import { FRAME_MS } from "../../audio/audio.ts";

/** Frames of one wake-up: a late pacer catches up over several wake-ups, because a burst would fill the agent's buffers. */
const FRAMES_AT_ONCE_MAX = 2;
/** A pacer that is later than this leaves frames out: it cannot catch up without distorting the speech. */
const LATEST_FRAMES = 50;

/** The clock of one call: it asks for a frame every `FRAME_MS`. */
export type Pacer = {
  /** The longest time between two frames. */
  readonly frameGapMaxMs: number;
  stop: () => void;
};

/** Starts a clock. `frame` runs for each frame, and `skipped` with the number of frames that this process missed. */
export function startPacer({ frame, skipped }: { frame: () => void; skipped: (frames: number) => void }): Pacer {
  const startedMs = performance.now();
  let frames = 0;
  let lastMs = startedMs;
  let frameGapMaxMs = 0;
  let timer: NodeJS.Timeout;
  let isStopped = false;

  function wake(): void {
    const due = Math.floor((performance.now() - startedMs) / FRAME_MS);
    if (due - frames > LATEST_FRAMES) {
      skipped(due - frames - 1);
      frames = due - 1;
    }
    for (let sent = 0; frames < due && sent < FRAMES_AT_ONCE_MAX && !isStopped; sent++) {
      const nowMs = performance.now();
      frameGapMaxMs = Math.max(frameGapMaxMs, nowMs - lastMs);
      lastMs = nowMs;
      frames++;
      frame();
    }
    if (!isStopped) schedule();
  }

  function schedule(): void {
    timer = setTimeout(wake, Math.max(1, startedMs + (frames + 1) * FRAME_MS - performance.now()));
  }

  schedule();
  return {
    get frameGapMaxMs() {
      return frameGapMaxMs;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
