#!/usr/bin/env node
// Plain JavaScript without dependencies, because this file must also run on a Node that is too old for the program.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { constants, homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST = [22, 18];
const MACHINE = `${process.platform}-${process.arch}/bin/node`;
const NODES = [`node_modules/node-${MACHINE}`, `node_modules/node-bin-${MACHINE}`, "node_modules/.bin/node"];
const SOURCE = fileURLToPath(new URL("../src/main.ts", import.meta.url));

if (isRecent(process.versions.node)) await start();
else startWith(projectNode());

async function start() {
  // The cache is in the home folder, because another user could write compiled code into a shared cache.
  nodeModule.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "svc"));
  const fromSource = existsSync(SOURCE);
  if (fromSource) {
    nodeModule.registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier, { ...context, conditions: [...context.conditions, "svc-source"] }),
    });
  }
  const { main } = await import(fromSource ? "../src/main.ts" : "../dist/main.js");
  await main(process.argv.slice(2));
}

function startWith(node) {
  if (!node) {
    process.stderr.write(
      `svc needs Node ${OLDEST.join(".")} or later, and this is ${process.version}. Install a later Node.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal also sends Ctrl-C to the child. This process ignores it and exits when the child does.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function projectNode() {
  for (let folder = dirname(SOURCE); ; folder = dirname(folder)) {
    for (const path of NODES) if (existsSync(join(folder, path))) return join(folder, path);
    if (folder === dirname(folder)) return undefined;
  }
}

function isRecent(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
