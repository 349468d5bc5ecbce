import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./until.ts";

const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

export type Ended = { exitCode: number | null; stdout: string; stderr: string };
type RunOptions = { env?: Record<string, string>; stdin?: string };

/** Creates a person's machine: a home folder in which the program runs as a child process. */
export function openHome(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "svc-cli-"));
  const own = { HOME: folder, PATH: process.env.PATH ?? "", XDG_CACHE_HOME: COMPILED, ...env };
  return {
    folder,
    profiles: join(folder, ".config", "svc", "profiles.json"),
    svc: (args: string[], options: RunOptions = {}) => run(process.execPath, [PROGRAM, ...args], own, options),
    /** Starts the program and returns the running process. */
    start: (args: string[], env: Record<string, string> = {}) =>
      start(process.execPath, [PROGRAM, ...args], own, { env }),
    /** Runs the program with another Node. */
    svcBy: (node: string, args: string[]) => run(node, [PROGRAM, ...args], own, {}),
    async json<T>(args: string[], options: RunOptions = {}): Promise<T & Record<string, unknown>> {
      const { stdout } = await run(process.execPath, [PROGRAM, ...args, "--json"], own, options);
      return JSON.parse(stdout) as T & Record<string, unknown>;
    },
    /** Starts an unclaimed service with `svc serve`. */
    serve: (args = ["serve", "--data-dir", join(folder, "data")]) =>
      serve({ ...own, LOG_LEVEL: "silent" }, [...args, "--port", "0"]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function serve(env: Record<string, string>, args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  let [said, printed] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  try {
    const url = await until("the address", () => /serves at (http:\S+)/.exec(said)?.[1], 20_000);
    return { url, stop, printed: () => printed };
  } catch (error) {
    await stop("SIGKILL");
    throw error;
  }
}

const run = (...started: Parameters<typeof start>): Promise<Ended> => start(...started).ended;

function start(node: string, args: string[], env: Record<string, string>, options: RunOptions) {
  const child = spawn(node, args, { env: { ...env, ...options.env }, stdio: ["pipe", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  const ended = new Promise<Ended>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.stdin ?? "");
  });
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), stderr: () => stderr, ended };
}
