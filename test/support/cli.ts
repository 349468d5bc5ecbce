import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileOf } from "./code/programs.ts";
import { IS_LONG } from "./long-form.ts";
import { until } from "./until.ts";

const PROGRAM = fileOf("svc");
const OF_CHECKOUT = fileURLToPath(new URL("../../packages/cli/bin/svc.js", import.meta.url));
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
/**
 * A command line with one of these words opens the service, or starts processes and exits when they exit. It needs a process of its
 * own.
 */
const NEEDS_PROCESS = new Set(
  "serve demo doctor migrate backup restore export reseal --agent-command --play".split(" "),
);

export type Ended = { exitCode: number | null; stdout: string; stderr: string };
export type CommandLine = { args: string[]; env: Record<string, string>; stdin: string };
type RunOptions = { env?: Record<string, string>; stdin?: string };

/**
 * Creates a home folder in which a person runs `svc`. In the long form of the specs, each command is a process. In the short form,
 * one process runs all commands, so that it loads their code once; only commands that run at the same time are separate processes.
 */
export function openHome(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "svc-cli-"));
  const own = { HOME: folder, PATH: process.env.PATH ?? "", XDG_CACHE_HOME: COMPILED, ...env };
  return {
    folder,
    profiles: join(folder, ".config", "svc", "profiles.json"),
    svc,
    /** Starts the program and returns the running process. */
    start: (args: string[], env: Record<string, string> = {}) =>
      start(process.execPath, [PROGRAM, ...args], own, { env }),
    /** Starts the program of the checkout from its sources, as `npx --no -- svc` does there. */
    startFromSources: (args: string[], env: Record<string, string> = {}) =>
      start(process.execPath, [OF_CHECKOUT, ...args], own, { env }),
    /** Runs the program of the checkout with another Node. */
    svcBy: (node: string, args: string[]) => run(node, [OF_CHECKOUT, ...args], own, {}),
    async json<T>(args: string[], options: RunOptions = {}): Promise<T & Record<string, unknown>> {
      const { stdout } = await svc([...args, "--json"], options);
      return JSON.parse(stdout) as T & Record<string, unknown>;
    },
    /** Starts an unclaimed service with `svc serve`. */
    serve: (args = ["serve", "--data-dir", join(folder, "data")], settings: Record<string, string> = {}) =>
      serve({ ...own, LOG_LEVEL: "silent", ...settings }, [...args, "--port", "0"]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };

  function svc(args: string[], options: RunOptions = {}): Promise<Ended> {
    if (IS_LONG || host.isBusy || args.some((word) => NEEDS_PROCESS.has(word)))
      return run(process.execPath, [PROGRAM, ...args], own, options);
    return host.run({ args, env: { ...own, ...options.env }, stdin: options.stdin ?? "" });
  }
}

/** The process that runs the commands of this spec process. */
const host = {
  child: undefined as ChildProcess | undefined,
  isBusy: false,
  async run(line: CommandLine): Promise<Ended> {
    this.isBusy = true;
    const child = (this.child ??= startHost());
    const gone = new AbortController();
    try {
      child.send(line);
      const ended = once(child, "message", { signal: gone.signal }) as Promise<[Ended]>;
      const failed = once(child, "exit", { signal: gone.signal }).then(([code]) => {
        this.child = undefined;
        throw new Error(`The process of the commands ended with ${String(code)} during: svc ${line.args.join(" ")}`);
      });
      failed.catch(() => undefined);
      const [result] = await Promise.race([ended, failed]);
      return result;
    } finally {
      gone.abort();
      this.isBusy = false;
    }
  },
};

function startHost(): ChildProcess {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
  const child = fork(fileOf("command-host"), {
    execArgv: ["--conditions=svc-source"],
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child.unref();
  child.channel!.unref();
  return child;
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
    const url = await until("the address", () => /serves at (http:\S+)/.exec(said)?.[1]);
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
