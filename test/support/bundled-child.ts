import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

/**
 * Bundles a program of `test/support` with the service's sources into one file, and the loader thread into another, because
 * a bundle starts faster. Returns its path; the caller removes the folder above it.
 */
export async function bundleChild(name: string): Promise<{ path: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "svc-child-"));
  // The folders that the sources reach by relative paths.
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
