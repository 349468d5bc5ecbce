import { Worker } from "node:worker_threads";
import { startOf } from "../../assets.ts";
import type { Audio } from "../../audio/audio.ts";
import type { Log } from "../../log.ts";
import { SpeechFailure } from "../speech.ts";
import type { FliteAnswer, FliteRequest } from "./messages.ts";
import { utterancesOf } from "./spoken-text.ts";
import type { BuiltInVoice } from "./voices.ts";

/** flite needs at most 25 s for the longest text at the lowest speed on a busy machine. */
const TIME_LIMIT_MS = 60_000;
/** An idle thread holds about 60 MB. */
const IDLE_MS = 60_000;

export type Flite = {
  /** Speaks a text. Rejects with a `SpeechFailure` when the voice cannot speak it, and with the signal's reason when it aborts. */
  speak: (text: string, voice: BuiltInVoice, speed: number, signal: AbortSignal) => Promise<Audio>;
  close: () => Promise<void>;
};

/** Opens the built-in voices. Their thread starts with the first text, and ends when no text followed for a minute. */
export function openFlite(log: Log): Flite {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  function start(): Worker {
    const { file, execArgv } = startOf("flite-thread");
    const started = new Worker(file, { execArgv, env: {} });
    started.unref();
    started.on("error", (error) => log.error({ err: error }, "the thread of the built-in voices has failed"));
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  function end(): Promise<unknown> | undefined {
    const ended = worker;
    worker = undefined;
    return ended?.terminate();
  }

  function ask(request: FliteRequest, signal: AbortSignal): Promise<Audio> {
    const thread = (worker ??= start());
    clearTimeout(idle);
    return new Promise<Audio>((resolve, reject) => {
      const onAnswer = ({ id, audio }: FliteAnswer) => {
        if (id === request.id) finish(() => (audio ? resolve(audio) : reject(unspeakable())));
      };
      const onExit = () => finish(() => reject(stopped()));
      const onAbort = () => finish(() => reject(signal.reason));
      const limit = setTimeout(() => {
        finish(() => reject(tooSlow()));
        void end();
      }, TIME_LIMIT_MS);
      function finish(settle: () => void): void {
        clearTimeout(limit);
        thread.off("message", onAnswer).off("exit", onExit);
        signal.removeEventListener("abort", onAbort);
        idle = setTimeout(() => void end(), IDLE_MS).unref();
        settle();
      }
      thread.on("message", onAnswer).once("exit", onExit);
      signal.addEventListener("abort", onAbort, { once: true });
      thread.postMessage(request, []);
    });
  }

  return {
    speak(text, voice, speed, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      const spoken = queue.then(() => {
        either.throwIfAborted();
        return ask({ id: ++lastId, voice, speed, utterances: utterancesOf(text) }, either);
      });
      queue = spoken.catch(() => undefined);
      return spoken;
    },

    async close() {
      closing.abort(stopped());
      clearTimeout(idle);
      await end();
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
