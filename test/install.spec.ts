import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const INSTALL = join(import.meta.dirname, "../scripts/install.mjs");

let checkout: string;
let running: ChildProcess | undefined;
beforeEach(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), "svc-checkout-")));
  for (const folder of ["packages/cli/bin", "node_modules/.bin", "programs"])
    mkdirSync(join(checkout, folder), { recursive: true });
  const packages = { "": {}, "node_modules/absent": { version: "1.0.0" } };
  writeFileSync(join(checkout, "package-lock.json"), JSON.stringify({ packages }));
  writeFileSync(join(checkout, "packages/cli/bin/svc.js"), 'console.log("up"); setInterval(() => {}, 1_000);\n');
  symlinkSync("../../packages/cli/bin/svc.js", join(checkout, "node_modules/.bin/svc"));
  writeFileSync(join(checkout, "programs/npm"), "#!/bin/sh\necho $@ > npm-ran\n", { mode: 0o755 });
});
afterEach(async () => {
  await end();
  rmSync(checkout, { recursive: true });
});

/** Starts a program in the folder of the checkout, and waits until it runs. */
async function start(...args: string[]): Promise<number> {
  running = spawn(process.execPath, args, { cwd: checkout, stdio: ["ignore", "pipe", "inherit"] });
  await once(running.stdout!, "data");
  return running.pid!;
}

async function end(): Promise<void> {
  if (running === undefined) return;
  running.kill("SIGKILL");
  await once(running, "exit");
  running = undefined;
}

/** Installs all packages of the checkout. A script in place of npm records whether it was called. */
function install(): Promise<{ exitCode: number; printed: string; npmRan: boolean }> {
  const program = `import { install } from ${JSON.stringify(INSTALL)}; install(process.argv[1], { serving: false });`;
  const args = ["--input-type=module", "--eval", program, checkout];
  const env = { PATH: `${join(checkout, "programs")}:/usr/bin:/bin` };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: checkout, env }, (_, stdout, stderr) =>
      resolve({
        exitCode: child.exitCode!,
        printed: stdout + stderr,
        npmRan: existsSync(join(checkout, "npm-ran")),
      }),
    );
  });
}

test.each([
  ["npm start", ["--conditions=svc-source", "packages/cli/bin/svc.js", "serve", "--port", "0"]],
  ["svc serve", ["node_modules/.bin/svc", "serve"]],
  ["svc demo", ["node_modules/.bin/svc", "demo"]],
])(
  "packages are not replaced below a running service that `%s` started, and are once it has ended",
  async (_, args) => {
    const pid = await start(...args);
    const refused = await install();
    expect(refused).toMatchObject({ exitCode: 1, npmRan: false });
    expect(refused.printed).toContain(`A service of this folder runs (process ${pid})`);
    expect(refused.printed).toMatch(/Stop it, .*again/);
    await end();
    expect(await install()).toMatchObject({ exitCode: 0, npmRan: true });
  },
);

test("packages are installed beside other commands, and beside a service of another checkout", async () => {
  await start("packages/cli/bin/svc.js", "mcp");
  expect(await install()).toMatchObject({ exitCode: 0, npmRan: true });
  await end();
  rmSync(join(checkout, "npm-ran"));
  const other = join(checkout, "other/packages/cli/bin");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "svc.js"), 'console.log("up"); setInterval(() => {}, 1_000);\n');
  await start(join(other, "svc.js"), "serve");
  expect(await install()).toMatchObject({ exitCode: 0, npmRan: true });
});
