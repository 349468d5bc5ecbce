import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** Returns how to start the thread in `thread.ts` beside the module at `url`: from the sources or from their build. */
export function workerEntry(url: string): { entry: URL; execArgv: string[]; env: Record<string, string> } {
  const fromSource = url.endsWith(".ts");
  const compileCache = getCompileCacheDir();
  return {
    entry: new URL(fromSource ? "./thread.ts" : "./thread.js", url),
    execArgv: fromSource ? ["--conditions=svc-source"] : [],
    // Each thread opens the cache of compiled code itself, in a subfolder of the folder that the variable names.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
  };
}
