import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const FILES = [
  "Dockerfile",
  "compose.yaml",
  "compose.cluster.yaml",
  "distribution/kubernetes/svc.yaml",
  "distribution/systemd/svc.service",
  "docs/self-hosting.md",
  "docs/scale.md",
];
const texts = FILES.map((file) => readFileSync(file, "utf8"));

test("the image, the compose files, the unit and their pages name only settings that the service or its executable has", () => {
  const known = ["packages/server/src/base/config/settings.ts", "distribution/binary/private-files.ts"].map((file) =>
    readFileSync(file, "utf8"),
  );
  const named = new Set(texts.flatMap((text) => [...text.matchAll(/\bSVC_[A-Z_]+/g)].map(([name]) => name)));
  expect(named.size).toBeGreaterThan(4);
  expect([...named].filter((name) => !known.some((text) => text.includes(name)))).toEqual([]);
});

test("the image, the compose files, the unit and their pages name only files that exist", () => {
  const named = texts.flatMap((text) => [...text.matchAll(/\b(?:packages|distribution|test)\/[\w./-]*\w/g)]);
  const paths = named.map(([path]) => path).filter((path) => !/node_modules|dist\b/.test(path));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

describe("the port of the image", () => {
  const run = promisify(execFile);
  /** Returns the program and the arguments of an instruction of the Dockerfile. */
  const wordsOf = (instruction: RegExp) => JSON.parse(instruction.exec(texts[0]!)![1]!) as [string, ...string[]];
  const [shell, ...entry] = wordsOf(/^ENTRYPOINT (.+)$/m);
  const [, ...check] = wordsOf(/^ {2}CMD (.+)$/m);

  test.each([
    [{}, "3100"],
    [{ PORT: "8080" }, "8080"],
    [{ PORT: "8080", SVC_WEB_PORT: "9090" }, "9090"],
  ])("the image with %o serves the pages on port %s, and passes its words on to `svc`", async (settings, port) => {
    const folder = mkdtempSync(join(tmpdir(), "svc-entry-"));
    writeFileSync(join(folder, "svc"), '#!/bin/sh\necho "$SVC_WEB_PORT" "$@"\n', { mode: 0o755 });
    const env = { PATH: `${folder}:/usr/bin:/bin`, ...settings };
    const { stdout } = await run(shell, [...entry, "serve", "--data-dir", "/a b"], { env });
    rmSync(folder, { recursive: true });
    expect(stdout).toBe(`${port} serve --data-dir /a b\n`);
    expect(texts[0]).not.toMatch(/^ +SVC_WEB_PORT=/m);
  });

  test("the health check asks the port in PORT, and fails when that answers with an error", async () => {
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/health" ? status : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const env = { PORT: String((server.address() as AddressInfo).port) };
    const exitCode = () =>
      run(process.execPath, check, { env }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    expect(await exitCode()).toBe(0);
    status = 503;
    expect(await exitCode()).toBe(1);
    server.close();
    expect(await exitCode()).toBe(1);
  });

  test("the health check asks port 3100 without PORT", async () => {
    const print = "data:text/javascript,globalThis.fetch=async(url)=>(console.log(url),{ok:true})";
    const { stdout } = await run(process.execPath, ["--import", print, ...check], { env: {} });
    expect(stdout).toBe("http://127.0.0.1:3100/health\n");
  });
});

const workflows = globSync(["action.yml", ".github/workflows/*.yml"]).map((file) => readFileSync(file, "utf8"));

test("the workflows and the action use actions by their commit, and only scripts that the project has", () => {
  expect(workflows.length).toBeGreaterThan(2);
  const uses = workflows.flatMap((text) =>
    [...text.matchAll(/uses: (\S+)(.*)/g)].map(([, action, rest]) => [action, rest]),
  );
  const foreign = uses.filter(([action]) => !action!.startsWith("./"));
  expect(foreign.length).toBeGreaterThan(10);
  for (const [action, version] of foreign) {
    expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const run = workflows.flatMap((text) =>
    [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!),
  );
  expect(run.length).toBeGreaterThan(3);
  expect(run.filter((name) => !(name in scripts))).toEqual([]);
});

test("the changelog says about the version what a user must know, in at most 80 lines", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m).slice(1);
  const own = sections.find((section) => section.startsWith(`${version}\n`));
  expect(own, `CHANGELOG.md has no section ${version}`).toBeDefined();
  expect(own!.split("\n").length).toBeLessThanOrEqual(80);
});
