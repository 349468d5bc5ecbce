import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

const WAIT_MS = 3_000;
/** Share of time in which the event loop may be busy. A busier service needs the memory, and a collection would pause it. */
const IDLE_UTILIZATION = 0.2;

/**
 * Releases once, after the start, the memory that the start needed. V8 would keep it while the process is idle, because it collects
 * garbage only when new objects need space.
 */
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
