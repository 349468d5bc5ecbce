import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * Bundles a program of `test/support` into one file and the loader thread into another, so that it starts much faster.
 * Returns the path of the program and its folder, which the caller removes.
 */
export async function bundleChild(name: string): Promise<{ path: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "svc-child-"));
  // The targets of relative paths in the sources.
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
