import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * A program of `test/support` with the service's sources in one file, and the loader thread's in another: it starts in a
 * fraction of the time, for specs that start it often. Answers its path; the folder above is the caller's to remove.
 */
export async function bundleChild(name: string): Promise<{ path: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "svc-child-"));
  // Where the sources' own relative paths lead to.
  mkdirSync(join(folder, "dist/src"), { recursive: true });
  symlinkSync(resolve("packages/server/migrations"), join(folder, "migrations"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await build({
    entryPoints: { [name]: `test/support/${name}.ts`, thread: "packages/server/src/traces/store/duckdb/thread.ts" },
    outdir: join(folder, "dist/src"),
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    conditions: ["svc-source"],
    external: ["better-sqlite3", "@duckdb/*"],
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
  });
  return { path: join(folder, "dist/src", `${name}.js`), folder };
}
