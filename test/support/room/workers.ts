import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "../until.ts";
import type { MediaServerProcess } from "./media-server.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A real worker of platform_b, registered at a media server. */
export type Worker = { pid: number; log: () => string; stop: () => Promise<void> };

type Started = { media: MediaServerProcess; svc: { url: string; projectKey: string }; env?: Record<string, string> };

/** Starts a worker in JavaScript on the packages of this repository. */
export const startNodeWorker = (file: string, started: Started): Promise<Worker> =>
  start(process.execPath, ["--conditions=svc-source", join(ROOT, file), "start"], started);

/** Starts a worker in Python, with the interpreter that the environment names. */
export const startPythonWorker = (python: string, file: string, started: Started): Promise<Worker> =>
  start(python, [join(ROOT, file), "start"], {
    ...started,
    env: { ...started.env, PYTHONPATH: join(ROOT, "packages/python/src") },
  });

async function start(program: string, args: string[], { media, svc, env }: Started): Promise<Worker> {
  const worker: ChildProcess = spawn(program, args, {
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_OPTIONS: "--conditions=svc-source",
      LIVEKIT_URL: media.url,
      LIVEKIT_API_KEY: media.apiKey,
      LIVEKIT_API_SECRET: media.apiSecret,
      SVC_URL: svc.url,
      SVC_API_KEY: svc.projectKey,
      ...env,
    },
  });
  const lines: string[] = [];
  for (const stream of [worker.stdout!, worker.stderr!]) stream.on("data", (data: Buffer) => lines.push(String(data)));
  const exited = once(worker, "exit");
  const log = () => lines.join("");
  await until(
    "the worker is registered",
    () => {
      if (worker.exitCode !== null) throw new Error(log());
      return log().includes("registered worker");
    },
    90_000,
  ).catch((error: unknown) => {
    throw new Error(log(), { cause: error });
  });
  return {
    pid: worker.pid!,
    log,
    async stop() {
      // The process group also contains the processes of the worker's jobs.
      process.kill(-worker.pid!, "SIGKILL");
      await exited;
    },
  };
}
