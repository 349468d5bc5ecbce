import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { MonitorCounters } from "@svc/worker-helper";
import type { JobReport } from "./worker-job.ts";
import type { WorkerReport } from "./worker-session.ts";

export const VERSIONS = ["oldest", "newest"] as const;
export type Version = (typeof VERSIONS)[number];

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

type Mode = "voice" | "text" | "realtime" | "paced" | "existing" | "for-framework" | "unsampled";
type Options = {
  version: Version;
  modes: Mode[];
  env: Record<string, string>;
  onTurn?: (turn: number, counters: MonitorCounters) => Promise<void>;
};

/** Runs a session in a separate worker process, and resolves to its report when the job has ended. */
export function runWorker({ version, modes, env, onTurn }: Options): Promise<WorkerReport & { output: string }> {
  const child = forkWorker(version, "./worker-session.ts", modes, env);
  const failed = new Promise<never>((_resolve, reject) => {
    child.on("message", ({ turn, counters }: { turn?: number; counters: MonitorCounters }) => {
      if (turn === undefined) return;
      onTurn!(turn, counters)
        .then(() => child.send("go on"))
        .catch((error: Error) => {
          child.kill();
          reject(error);
        });
    });
  });
  return Promise.race([reportOf<WorkerReport>(child), failed]);
}

/** Runs a complete job that the platform's own code forks and ends. */
export function runJob(version: Version, env: Record<string, string>): Promise<JobReport & { output: string }> {
  return reportOf<JobReport>(forkWorker(version, "./worker-job.ts", [], env));
}

function reportOf<Report>(child: ChildProcess): Promise<Report & { output: string }> {
  const output = outputOf(child);
  return new Promise((resolve, reject) => {
    let report: Report | undefined;
    child.on("message", (message: { report?: Report }) => (report ??= message.report));
    child.once("close", (code) => {
      if (report === undefined) reject(new Error(`the worker ended with ${code}: ${output()}`));
      else resolve({ ...report, output: output() });
    });
  });
}

function forkWorker(version: Version, file: string, args: string[], env: Record<string, string>): ChildProcess {
  const hooks = version === "oldest" ? [`--import=${pathOf("./worker-oldest.mjs")}`] : [];
  return fork(pathOf(file), args, {
    execArgv: ["--conditions=svc-source", "--disable-warning=ExperimentalWarning", ...hooks],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

/** Returns a function that returns everything the process has written so far. */
function outputOf(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
