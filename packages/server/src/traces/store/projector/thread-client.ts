import { Worker } from "node:worker_threads";
import { startOf } from "../../../assets.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { buffersOf } from "../span-index.ts";
import type { ProjectorEvent, ProjectorOptions, ProjectorRequest, ReadingOutcome } from "./messages.ts";

const YOUNG_HEAP_MB = 24;
/** Fits the largest conversation that is read at once, in the densest JSON. */
const OLD_HEAP_MB = 1536;

export type ProjectorThread = {
  /**
   * Returns the outcome of each conversation; null when they are too large to be read together. One call may run at a time.
   * Rejects when the thread does not start.
   */
  read: (request: ProjectorRequest) => Promise<ReadingOutcome[] | null>;
  close: () => Promise<void>;
};

type Call = {
  resolve: (outcomes: ReadingOutcome[] | null) => void;
  reject: (error: unknown) => void;
  isSingle: boolean;
};

/** Returns the projector thread. It starts with the first conversation, and starts again after a failure. */
export function openProjectorThread(
  options: ProjectorOptions,
  onDamagedRecord: (address: RecordAddress) => void,
): ProjectorThread {
  let worker: Worker | undefined;
  let call: Call | undefined;

  function start(): Worker {
    const { file, execArgv, env } = startOf("projector-thread");
    const started = new Worker(file, {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB, maxOldGenerationSizeMb: OLD_HEAP_MB },
      execArgv,
      env,
    });
    let isReady = false;
    let failure: unknown = new Error("the thread that reads conversations has ended");
    started.on("message", (event: ProjectorEvent) => {
      if (event.kind === "damaged_record") onDamagedRecord(event.address);
      else if (event.kind === "ready") isReady = true;
      else settle(({ resolve }) => resolve(event.kind === "readings" ? event.outcomes : null));
    });
    started.on("error", (error) => (failure = error));
    started.once("exit", () => {
      worker = undefined;
      settle(({ resolve, reject, isSingle }) => {
        if (!isReady) reject(failure);
        else resolve(isSingle ? [{ error: failure }] : null);
      });
    });
    return started;
  }

  /** Ends the call. A thread that ends during a call may have failed because of one conversation, which is then read alone. */
  function settle(end: (ended: Call) => void): void {
    const ended = call;
    call = undefined;
    if (ended !== undefined) end(ended);
  }

  return {
    read: (request) =>
      new Promise((resolve, reject) => {
        call = { resolve, reject, isSingle: request.conversations.length === 1 };
        (worker ??= start()).postMessage(request, buffersOf(request.index));
      }),
    async close() {
      await worker?.terminate();
    },
  };
}
