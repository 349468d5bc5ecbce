import { fork } from "node:child_process";
import { join } from "node:path";
import type { Question, Usage } from "./server-under-test.ts";

/** Starts a server program of this folder in a separate process, so that its CPU time and memory can be measured separately. */
export async function startServer(file: string, environment: Record<string, string> = {}) {
  const server = fork(join(import.meta.dirname, file), {
    env: { ...process.env, ...environment },
    execArgv: ["--conditions=svc-source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const next = <T>() => new Promise<T>((resolve) => server.once("message", (message) => resolve(message as T)));
  const ask = (question: Exclude<Question, "close">) => {
    const answer = next<Usage>();
    server.send(question);
    return answer;
  };
  const close = () => {
    const exited = new Promise((resolve) => server.once("exit", resolve));
    server.send("close" satisfies Question);
    return exited;
  };
  return { ...(await next<{ url: string; key: string }>()), pid: server.pid!, ask, close };
}
