// When this process ends, kills the child processes that still run. Such a child keeps the output of this process open, and the
// test runner would wait forever for the end of the output.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { atProcessEnd } from "./process-end.ts";

const running = new Set<ChildProcess>();

subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  running.add(child);
  child.once("exit", () => running.delete(child));
});
atProcessEnd(() => {
  for (const child of running) child.kill("SIGKILL");
});
