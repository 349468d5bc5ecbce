import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { until } from "./support/until.ts";

const MODULE = join(import.meta.dirname, "support/child-processes.ts");
/** A program that starts a child process and ends. The child inherits its output and continues to run. */
const LEAVES_A_CHILD = `
  await import(${JSON.stringify(MODULE)});
  const { spawn } = await import("node:child_process");
  console.log(spawn("sleep", ["600"], { stdio: "inherit" }).pid);
  setInterval(() => undefined, 1000);
`;

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a process of specs takes the children that are left with it, so that its output ends", async () => {
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", LEAVES_A_CHILD], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid] = (await once(createInterface(owner.stdout), "line")) as [string];
  expect(isAlive(Number(pid))).toBe(true);
  const closed = once(owner, "close");
  owner.kill("SIGTERM");
  await closed;
  await until("the child is gone", () => !isAlive(Number(pid)));
});
