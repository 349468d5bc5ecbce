import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createClient } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM as path, freePort, startProgram } from "../support/program.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { newSecret } from "../support/secret.ts";

const PROGRAM = path!;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-binary-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the executable in an empty folder. Its whole environment is `env`. */
async function run(args: string[], env: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(folder, "empty-"));
  const child = spawn(PROGRAM, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, stdout, stderr };
}

test("the version names the build and the engines", async () => {
  const { exitCode, stdout } = await run(["--version"]);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^svc\/\d\S+ linux-x64, commit .+ of [\d-]+, Node 24\.\S+, SQLite 3\.\S+, DuckDB 1\.\S+\n$/),
  ]);
});

test("the help lists the commands of the sources, each with its summary", async () => {
  const { commandIds, summaryOf } = await import("../../packages/cli/src/commands.ts");
  const { stdout } = await run(["tests", "--help"]);
  for (const id of commandIds("tests")) expect(stdout).toContain(summaryOf(id));
  expect((await run(["--help"])).stdout).toContain("Exit codes:");
});

test("the demo ends with its known result", async () => {
  const { exitCode, stdout, stderr } = await run(["demo", "--no-stay", "--json", "--port", "0"]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining("svc serves at")]);
  const { simulations } = JSON.parse(stdout) as { simulations: { testName: string; verdict: string }[] };
  const failed = simulations.filter(({ verdict }) => verdict !== "passed");
  expect(simulations).toHaveLength(5);
  expect(failed).toMatchObject([{ testName: "Admits that the booking failed", verdict: "failed" }]);
});

test("the service answers with its pages and its data, and ends in order", async () => {
  const dataDir = join(folder, "served");
  const apiKey = newSecret();
  const { url, stop } = await startProgram(PROGRAM, {
    SVC_DATA_DIR: dataDir,
    SVC_INIT_API_KEYS: `project:${apiKey}`,
    SVC_METRICS_TOKEN: apiKey,
  });
  try {
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const page = await fetch(url, { headers: { accept: "text/html" } });
    expect(await page.text()).toMatch(/<script [^>]*src="\/assets\//);
    const client = createClient({ baseUrl: url, apiKey });
    expect((await client.traces.list({})).traces).toEqual([]);
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${apiKey}` } });
    const { samples } = parseMetrics(await metrics.text()).get("svc_ready")!;
    expect(samples).toEqual([{ name: "svc_ready", labels: "", value: 1 }]);
    const second = await run(["serve"], { SVC_DATA_DIR: dataDir, PORT: String(await freePort()) });
    expect([second.exitCode, second.stderr]).toEqual([3, expect.stringMatching(/^Another server is running on .*\n$/)]);
  } finally {
    expect(await stop()).toBe(0);
  }
  const doctor = await run(["doctor", "--data-dir", dataDir]);
  expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringContaining("All is well.")]);
});

test("the executable refuses an address that is taken, and sends its own spans", async () => {
  let received = 0;
  const collector = createServer((request, response) => request.resume().on("end", () => (received++, response.end())));
  await new Promise<void>((listening) => collector.listen(0, "127.0.0.1", listening));
  const { url, stop } = await startProgram(PROGRAM, {
    SVC_DATA_DIR: join(folder, "signed-up"),
    SVC_OPEN_SIGNUP: "true",
    SVC_OTLP_TRACES_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  });
  const person = { name: "Ana", email: "ana@acme.test", password: "correct horse battery" };
  const signUp = async () => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}/api/auth/sign-up/email`, { method: "POST", headers, body: JSON.stringify(person) }))
      .status;
  };
  expect([await signUp(), await signUp()]).toEqual([201, 409]);
  expect(await stop()).toBe(0);
  collector.close();
  expect(received).toBeGreaterThan(0);
});

test("the program unpacks itself into a folder that only this user can read", async () => {
  const cache = join(folder, "cache");
  await run(["doctor", "--data-dir", "nowhere"], { SVC_CACHE_DIR: cache });
  const files = globSync("**/*", { cwd: cache, withFileTypes: true });
  expect(files.filter((file) => file.isFile()).length).toBeGreaterThan(100);
  const { statSync } = await import("node:fs");
  expect(statSync(join(cache, globSync("*", { cwd: cache })[0]!)).mode & 0o777).toBe(0o700);
});

test("the program replaces unpacked files that differ from its own before it uses them", async () => {
  const cache = join(folder, "changed");
  const demo = () => run(["demo", "--no-stay", "--port", "0"], { SVC_CACHE_DIR: cache });
  await demo();
  const changed = ["*/code/main.js", "*/native/*/*.node"].map((pattern) =>
    join(cache, globSync(pattern, { cwd: cache })[0]!),
  );
  const contents = changed.map((file) => readFileSync(file));
  for (const file of changed) writeFileSync(file, "process.exit(99)");
  expect((await demo()).exitCode).toBe(0);
  expect(changed.map((file) => readFileSync(file))).toEqual(contents);
});

test("the program refuses to unpack itself where another user can write", async () => {
  const shared = join(folder, "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  const { exitCode, stderr } = await run(["--version"], { SVC_CACHE_DIR: join(shared, "cache") });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/another user can change .*shared\).*Set SVC_CACHE_DIR/),
  ]);
  expect(existsSync(join(shared, "cache", "code"))).toBe(false);
});
