import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileOf } from "./code/programs.ts";
import { until } from "./until.ts";

/** Returns a port that no process uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the service in a separate process, which `kill` ends with SIGKILL. */
export async function startServiceProcess(port: number, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, ["--conditions=svc-source", fileOf("serve")], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await until("the service", async () => (await fetch(`${url}/health`)).ok);
  return {
    url,
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
