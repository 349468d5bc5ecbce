// The command line of svc in a job, and the service that a job starts for itself.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../packages/cli/bin/svc.js", import.meta.url));
const REFUSED = 3;
const START_MS = 60_000;

/** Runs `svc` and returns what it printed; ends this program with 3 when the command is refused, unless its exit code is a verdict. */
export function svc(args, { env = {}, isVerdict = false } = {}) {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
    const child = execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : REFUSED;
      process.stderr.write(stderr);
      if (exitCode === 0 || (isVerdict && exitCode < REFUSED)) return resolve({ exitCode, stdout });
      process.stdout.write(stdout);
      process.exit(REFUSED);
    });
    child.stdin.end();
  });
}

/**
 * Starts a service on an empty folder with a key for this job only. Returns the function that stops the service and removes the
 * folder.
 */
export async function startService() {
  const folder = mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), "svc-action-"));
  const apiKey = `svc_sk_${randomBytes(32).toString("base64url")}`;
  const port = await freePort();
  const settings = {
    SVC_INIT_API_KEYS: `project:${apiKey}`,
    SVC_WEB_PORT: String(port),
    LOG_LEVEL: "warn",
  };
  const args = [PROGRAM, "serve", "--data-dir", join(folder, "data"), "--port", String(port)];
  const service = spawn(process.execPath, args, {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise((resolve) => service.once("exit", resolve));
  process.on("exit", () => service.kill("SIGTERM"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(REFUSED));
  process.env.SVC_URL = `http://127.0.0.1:${port}`;
  process.env.SVC_API_KEY = apiKey;
  await answering(`${process.env.SVC_URL}/health`, service);
  return {
    async stop() {
      service.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(url, service) {
  for (const endsAt = Date.now() + START_MS; Date.now() < endsAt && service.exitCode === null;) {
    if ((await fetch(url).catch(() => undefined))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  console.error("The service did not start.");
  process.exit(REFUSED);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
