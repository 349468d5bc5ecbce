import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { SCHEMA_PREFIX } from "../support/engine.ts";
import { until } from "../support/until.ts";
import { findPostgres, type SystemUser } from "./find-postgres.ts";

/** Settings for data that no one keeps. */
const FORGETFUL = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300"];

/** Passes a PostgreSQL to the specs, which vitest starts afterwards; returns the function that removes its traces. */
export default async function setup(): Promise<() => Promise<void>> {
  const found = findPostgres();
  if ("missing" in found) throw new Error(found.missing);
  if ("url" in found) {
    process.env.SPEC_DATABASE_URL = found.url;
    return () => dropSchemas(found.url);
  }
  const server = await startPostgres(found.programs, found.user);
  process.env.SPEC_DATABASE_URL = server.url;
  return server.stop;
}

/** Starts a server on a temporary folder. Its texts sort as in English by default, unlike SQLite's. */
async function startPostgres(programs: string, user: SystemUser | undefined) {
  const folder = mkdtempSync(join(tmpdir(), "svc-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
  const options = { cwd: folder, ...user };
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "svc", "--auth=trust", "--no-sync", ...locale], {
    ...options,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await freePort();
  const address = ["-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const settings = FORGETFUL.flatMap((setting) => ["-c", setting]);
  const server = spawn(join(programs, "postgres"), ["-D", data, ...address, ...settings], {
    ...options,
    stdio: "ignore",
  });
  const url = `postgresql://svc@127.0.0.1:${port}/postgres`;
  await until("PostgreSQL answers", () => answers(url));
  return {
    url,
    async stop(): Promise<void> {
      const ended = once(server, "exit");
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

async function dropSchemas(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)",
    [SCHEMA_PREFIX],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA ${name} CASCADE`);
  await client.end();
}
