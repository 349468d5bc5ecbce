import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "./child-processes.ts";
import { until } from "./until.ts";

/** The single executable that the specs start instead of the service's code, when SPEC_PROGRAM names one. */
export const PROGRAM = process.env.SPEC_PROGRAM;

/** Whether the service of the specs runs in their process, so that they can see its state and change its intervals. */
export const IN_PROCESS = PROGRAM === undefined;

/** Starts `serve` of the executable with the settings as its whole environment, in an empty folder. */
export async function startProgram(program: string, settings: Record<string, string | undefined>) {
  const folder = mkdtempSync(join(tmpdir(), "svc-program-"));
  const port = String(await freePort());
  const given = Object.entries({ ...settings, PORT: port, SVC_WEB_PORT: port });
  const env = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const child = spawn(program, ["serve"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  let hasEnded = false;
  const ended = once(child, "close").then(([code]) => {
    hasEnded = true;
    rmSync(folder, { recursive: true, force: true });
    return code as number | null;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until("the program serves or ends", () => hasEnded || said.includes("svc serves at"), 60_000);
  if (hasEnded) throw new Error(said.trim());
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    stop(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Returns a port that no process uses at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
