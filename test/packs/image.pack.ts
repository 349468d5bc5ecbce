import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";

const run = promisify(execFile);
/** Tools for developers, each of which was once installed into the image by mistake. */
const TOOLS = [
  "vitest",
  "vite",
  "esbuild",
  "rolldown",
  "lightningcss",
  "react",
  "react-dom",
  "chai",
  "typescript",
  "oxlint",
];

let folder: string;
let app: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-image-"));
  app = join(folder, "app");
  env = { PATH: process.env.PATH, HOME: folder, SVC_DATA_DIR: join(folder, "data"), PORT: "0", LOG_LEVEL: "silent" };
  await run(process.execPath, ["--conditions=svc-source", "distribution/image/stage.ts", app]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const svc = () => join(app, "packages/cli/bin/svc.js");

describe("what the image holds", () => {
  test("the image holds the command line and no tool of developers", async () => {
    const packages = readdirSync(join(app, "node_modules"));
    expect(TOOLS.filter((name) => packages.includes(name))).toEqual([]);
    expect(packages).toEqual(expect.arrayContaining(["better-sqlite3", "pg", "zod"]));
    expect(existsSync(join(app, "packages/server/src"))).toBe(false);
    const { stdout } = await run(process.execPath, [svc(), "--version"], { env });
    expect(stdout).toMatch(/^svc\/\d/);
  });

  test("the service of the image serves the API and the pages, and ends on SIGTERM", async () => {
    const child = spawn(process.execPath, [svc(), "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const api = await until("the service listens", () => /health +(http:\S+)\/health/.exec(printed)?.[1]);
    expect((await fetch(`${api}/health`)).status).toBe(200);
    expect(await (await fetch(`${api}/claim`, { headers: { accept: "text/html" } })).text()).toContain("<script");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    const { stdout } = await run(process.execPath, [svc(), "doctor", "--data-dir", join(folder, "data")], { env });
    expect(stdout).toContain("All is well");
  });
});
