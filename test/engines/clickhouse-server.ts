import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import "../support/child-processes.ts";

export type ClickHouseServer = {
  /** The address of the server. The port stays the same after the first start. */
  url: () => string;
  /** Starts the server on its data, and resolves when it answers. */
  start: () => Promise<void>;
  /** Kills the server, and keeps its data. */
  stop: () => Promise<void>;
  /** Stops the server and removes its data. */
  remove: () => Promise<void>;
};

/** Creates a server on a temporary folder, with the engine of the installed package. */
export function createClickHouseServer(engine: string): ClickHouseServer {
  const folder = mkdtempSync(join(tmpdir(), "svc-clickhouse-"));
  const program = join(import.meta.dirname, "clickhouse-process.ts");
  mkdirSync(join(folder, "engine"));
  let address = new URL("http://127.0.0.1:0");
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const port = address.port === "" ? "0" : address.port;
    const started = spawn(process.execPath, [program, engine, folder, port], { stdio: ["ignore", "pipe", "inherit"] });
    server = started;
    const ended = once(started, "exit").then(([code]) => {
      throw new Error(`ClickHouse's engine ended with ${code}`);
    });
    ended.catch(() => undefined);
    const [line] = (await Promise.race([once(createInterface(started.stdout), "line"), ended])) as [string];
    address = new URL(line);
  }

  async function stop(): Promise<void> {
    if (server === undefined) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    server = undefined;
    await ended;
  }

  async function remove(): Promise<void> {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  return { url: () => address.origin, start, stop, remove };
}
