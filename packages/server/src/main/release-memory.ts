import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

const WAIT_MS = 3_000;
/** A busier service needs the memory for its work, and should not pause. */
const IDLE_UTILIZATION = 0.2;

/** Gives back the memory that a start needed, once. V8 keeps it in an idle process, because it collects only for new objects. */
export function releaseMemorySoon(): void {
  const before = performance.eventLoopUtilization();
  setTimeout(() => {
    if (performance.eventLoopUtilization(before).utilization < IDLE_UTILIZATION) releaseMemory();
  }, WAIT_MS).unref();
}

function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
