import { startOf } from "../../../assets.ts";
import type { Audio } from "../../audio/audio.ts";
import { callThread, ThreadEnded } from "../../../base/threads/call-thread.ts";
import type { Log } from "../../../base/log/log.ts";
import { SpeechFailure } from "../speech.ts";
import type { FliteFace } from "./messages.ts";
import { utterancesOf } from "./spoken-text.ts";
import type { BuiltInVoice } from "./voices.ts";

/** Time limit for one text. On a busy machine, flite needs at most 25 s for the longest text at the lowest speed. */
const TIME_LIMIT_MS = 60_000;
/** An idle thread ends after this time, because it uses about 60 MB of memory. */
const IDLE_MS = 60_000;

export type Flite = {
  /** Rejects with a `SpeechFailure` when the voice cannot speak the text, and with the reason of the signal when it aborts. */
  speak: (text: string, voice: BuiltInVoice, speed: number, signal: AbortSignal) => Promise<Audio>;
  close: () => Promise<void>;
};

/** Opens the built-in voices. Their thread starts with the first text, and ends after a minute without a text. */
export function openFlite(log: Log): Flite {
  let idle: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();
  const { calls, stop, close } = callThread<FliteFace>(startOf("flite-thread"), {
    options: undefined,
    on: {},
    onFailed: ({ cause }) => log.error({ err: cause }, "the thread of the built-in voices has failed"),
    errorOf: (error) => (error instanceof ThreadEnded ? stopped() : unspeakable()),
    keepsProcess: false,
  });

  async function ask(utterances: string[], voice: BuiltInVoice, speed: number, signal: AbortSignal): Promise<Audio> {
    signal.throwIfAborted();
    clearTimeout(idle);
    const tooLong = new AbortController();
    const limit = setTimeout(() => {
      tooLong.abort(tooSlow());
      void stop();
    }, TIME_LIMIT_MS);
    try {
      return await calls.speak(utterances, voice, speed, AbortSignal.any([signal, tooLong.signal]));
    } finally {
      clearTimeout(limit);
      idle = setTimeout(() => void stop(), IDLE_MS).unref();
    }
  }

  return {
    speak(text, voice, speed, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      const spoken = queue.then(() => ask(utterancesOf(text), voice, speed, either));
      queue = spoken.catch(() => undefined);
      return spoken;
    },

    async close() {
      closing.abort(stopped());
      clearTimeout(idle);
      await close();
    },
  };
}

const unspeakable = () =>
  new SpeechFailure("unspeakable", "The built-in voice cannot speak this text. Change the words of the turn.");

const tooSlow = () =>
  new SpeechFailure(
    "unavailable",
    "The built-in voice did not finish the turn in time. Shorten it, or try again later.",
  );

const stopped = () => new SpeechFailure("unavailable", "The built-in voices have stopped. Try again.");
