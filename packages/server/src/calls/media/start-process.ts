import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Starts a media process from the file `process.ts`. It reads no setting and no credential from the environment. */
export function startMediaProcess(): ChildProcess {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(fromSource ? "./process.ts" : "./process.js", import.meta.url));
  const compileCache = getCompileCacheDir();
  return fork(entry, [], {
    serialization: "advanced",
    execArgv: fromSource ? ["--conditions=svc-source"] : [],
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}
