import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { WorkerReport } from "./worker-session.ts";

export const VERSIONS = ["oldest", "newest"] as const;
export type Version = (typeof VERSIONS)[number];

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

type Asked = "voice" | "text" | "paced" | "existing" | "for-framework";
type Options = {
  version: Version;
  asked: Asked[];
  env: Record<string, string>;
  onTurn?: (turn: number) => Promise<void>;
};

/** Runs a session in a worker's process of its own; resolves to what it says of itself when the job has ended. */
export async function runWorker({ version, asked, env, onTurn }: Options): Promise<WorkerReport & { output: string }> {
  const child = forkWorker(version, "./worker-session.ts", asked, env);
  const output = outputOf(child);
  return new Promise((resolve, reject) => {
    let report: WorkerReport | undefined;
    child.on("message", (message: { report?: WorkerReport; turn?: number }) => {
      report ??= message.report;
      if (message.turn === undefined) return;
      const done = onTurn?.(message.turn) ?? Promise.resolve();
      done.then(() => child.send("go on"), reject);
    });
    child.once("exit", (code) => {
      if (report === undefined) reject(new Error(`the worker ended with ${code}: ${output()}`));
      else resolve({ ...report, output: output() });
    });
  });
}

export function forkWorker(version: Version, file: string, args: string[], env: Record<string, string>): ChildProcess {
  const hooks = version === "oldest" ? [`--import=${pathOf("./worker-oldest.mjs")}`] : [];
  return fork(pathOf(file), args, {
    execArgv: ["--conditions=svc-source", "--disable-warning=ExperimentalWarning", ...hooks],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

/** All that a process has written. */
export function outputOf(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
