import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import "../support/child-processes.ts";
import { until } from "../support/until.ts";
import type { InstalledPostgres } from "./find-postgres.ts";

const SETTINGS = ["max_connections=300"];
/** Settings that make writes fast and may lose data in a crash. */
const FORGETFUL = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

export type PostgresServer = {
  url: string;
  /** Starts the server on its data, and resolves when it answers. */
  start: () => Promise<void>;
  /** Stops the server at once, and keeps its data. */
  stop: () => Promise<void>;
  /** Stops the server and removes its data. */
  remove: () => Promise<void>;
};

/** Creates a server on a temporary folder. By default it sorts text as in English, unlike SQLite. */
export async function createPostgresServer(
  { programs, user }: InstalledPostgres,
  { isDurable = false } = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "svc-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { cwd: folder, ...user };
  const locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "svc", "--auth=trust", "--no-sync", ...locale], {
    ...options,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await freePort();
  const url = `postgresql://svc@127.0.0.1:${port}/postgres`;
  const address = ["-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const settings = [...SETTINGS, ...(isDurable ? [] : FORGETFUL)].flatMap((setting) => ["-c", setting]);
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    server = spawn(join(programs, "postgres"), ["-D", data, ...address, ...settings], { ...options, stdio: "ignore" });
    await until("PostgreSQL answers", () => answers(url));
  }

  async function stop(): Promise<void> {
    if (server === undefined) return;
    const ended = once(server, "exit");
    server.kill("SIGINT");
    server = undefined;
    await ended;
  }

  async function remove(): Promise<void> {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  return { url, start, stop, remove };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
