import { Worker } from "node:worker_threads";
import { startOf } from "../../../assets.ts";

/** A larger young generation holds garbage for long and collects it no cheaper. */
const YOUNG_HEAP_MB = 24;
/** Fits the largest conversation that is read at once, in the densest JSON. A higher limit makes V8 collect later. */
const OLD_HEAP_MB = 1536;

let prepared: Worker | undefined;

/** Starts a loader thread ahead, so that it loads its code and the database's library while the rest of the service is loaded. */
export function prepareWorker(): void {
  if (prepared !== undefined) return;
  const worker = createWorker();
  prepared = worker;
  const forget = () => {
    if (prepared === worker) prepared = undefined;
  };
  worker.on("error", forget); // the next worker fails too, and its caller says why
  worker.on("exit", forget);
  worker.unref();
}

/** Returns a loader thread that waits for its options: the prepared one the first time, else a new one. */
export function takeWorker(): Worker {
  const worker = prepared ?? createWorker();
  prepared = undefined;
  worker.ref();
  return worker;
}

function createWorker(): Worker {
  const { file, execArgv, env } = startOf("loader-thread");
  return new Worker(file, {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB, maxOldGenerationSizeMb: OLD_HEAP_MB },
    execArgv,
    env,
  });
}
