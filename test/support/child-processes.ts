// Kills the child processes that are left when this process ends. A child that outlives it keeps its output open, and the runner
// would wait for the end of that output forever.
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
