import { Worker } from "node:worker_threads";
import type { Transferable } from "node:worker_threads";
import { type ENTRIES, startOf } from "../../assets.ts";

const YOUNG_HEAP_MB = 24;
/** Fits the largest conversation that is read at once, in the densest JSON. */
const OLD_HEAP_MB = 1536;

/** A message from the thread: it is `ready` once its code is loaded, and answers each call with one message. */
export type CallThreadEvent<Answer> = { kind: "ready" } | { kind: "answer"; answer: Answer };

/** The failure of a call whose thread has ended. A thread that was ready may have ended because of the call. */
export class ThreadEnded extends Error {
  readonly wasReady: boolean;

  constructor(wasReady: boolean, cause: unknown) {
    super("the thread that reads conversations has ended", { cause });
    this.name = "ThreadEnded";
    this.wasReady = wasReady;
  }
}

type CallThread<Request, Answer> = {
  /** Returns the thread's answer; rejects with `ThreadEnded`. One call may run at a time. */
  call: (request: Request, transfer: readonly Transferable[]) => Promise<Answer>;
  close: () => Promise<void>;
};

type Call<Answer> = { resolve: (answer: Answer) => void; reject: (error: ThreadEnded) => void };

/** Returns a thread that starts with the first call, and starts again after a failure. `onOther` receives its other messages. */
export function openCallThread<Request, Answer, Other extends { kind: string } = never>(
  entry: keyof typeof ENTRIES,
  workerData: unknown,
  onOther: (event: Other) => void = () => undefined,
): CallThread<Request, Answer> {
  let worker: Worker | undefined;
  let call: Call<Answer> | undefined;

  function start(): Worker {
    const { file, execArgv, env } = startOf(entry);
    const started = new Worker(file, {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB, maxOldGenerationSizeMb: OLD_HEAP_MB },
      execArgv,
      env,
    });
    let isReady = false;
    let failure: unknown;
    started.on("message", (event: CallThreadEvent<Answer> | Other) => {
      if (event.kind === "ready") isReady = true;
      else if (event.kind === "answer") settle(({ resolve }) => resolve((event as { answer: Answer }).answer));
      else onOther(event as Other);
    });
    started.on("error", (error) => (failure = error));
    started.once("exit", () => {
      worker = undefined;
      settle(({ reject }) => reject(new ThreadEnded(isReady, failure)));
    });
    return started;
  }

  function settle(end: (ended: Call<Answer>) => void): void {
    const ended = call;
    call = undefined;
    if (ended !== undefined) end(ended);
  }

  return {
    call: (request, transfer) =>
      new Promise((resolve, reject) => {
        call = { resolve, reject };
        (worker ??= start()).postMessage(request, transfer);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}
