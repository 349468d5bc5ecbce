import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname, "../..");

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm start` in its own process group, as a shell runs a job in the background. */
async function npmStart(temporary: string, args: string[]) {
  const child = spawn("npm", ["start", "--", "--port", "0", ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: temporary, SVC_WEB_PORT: "0", LOG_LEVEL: "silent" },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const url = await until(
    () => `the address in ${printed}`,
    () => /(?:serves at|health +) *(http:\S+?)(?:\/health)?\n/.exec(printed)?.[1],
  );
  return { npm: child, url, printed: () => printed };
}

const isGroupAlive = (leader: number): boolean => {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
};

describe("npm start", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)(
    "the demo leaves no process and no file when npm ends by %s",
    async (signal) => {
      folder = mkdtempSync(join(tmpdir(), "svc-start-"));
      const { npm, url, printed } = await npmStart(folder, ["--demo"]);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      expect(readdirSync(folder)).not.toEqual([]);
      npm.kill(signal);
      await until("the end of every process", () => !isGroupAlive(npm.pid!));
      expect(readdirSync(folder)).toEqual([]);
      expect(printed()).not.toMatch(/warn/i);
    },
  );
});
