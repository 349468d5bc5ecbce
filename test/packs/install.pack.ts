import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { openProject, type Project } from "./project.ts";

const ROOT = join(import.meta.dirname, "../..");

let clone: Project;
beforeAll(() => {
  clone = openProject();
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of listed.trim().split("\n"))
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(clone.folder, file));
});
afterAll(() => clone.remove());

describe("npm start in a fresh clone", () => {
  test("npm start installs at most 350 MB without a warning or a compiler, serves the pages, and ends with npm", async () => {
    const args = ["start", "--", "--port", "0", "--data-dir", join(clone.folder, "data")];
    const npm = spawn("npm", args, {
      cwd: clone.folder,
      detached: true,
      // Without the headers of Node, npm cannot compile a package, so the installation fails if it tries to.
      env: { ...clone.environment, npm_config_nodedir: "/nonexistent", SVC_WEB_PORT: "0", LOG_LEVEL: "silent" },
    });
    let printed = "";
    for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
    const pages = await until(
      () => printed,
      () => /serves at (http:\S+)/.exec(printed)?.[1],
      280_000,
    );
    expect((await fetch(`${pages}/claim`, { headers: { accept: "text/html" } })).status).toBe(200);
    expect(printed).toContain("Installing what the service needs");
    expect(printed).not.toMatch(/\bwarn|deprecated/i);
    expect(existsSync(join(clone.folder, "node_modules/typescript"))).toBe(false);
    expect((await clone.run("npx", ["--no-install", "svc", "--version"])).stdout).toMatch(/^svc\//);
    const { stdout } = await clone.run("du", ["-sm", "node_modules"]);
    console.log(`npm start installs ${stdout.split("\t")[0]} MB.`);
    expect(Number(stdout.split("\t")[0])).toBeLessThanOrEqual(350);
    npm.kill("SIGTERM");
    await until("the end of every process", () => {
      try {
        return !process.kill(-npm.pid!, 0);
      } catch {
        return true;
      }
    });
  });
});
