import { execFileSync } from "node:child_process";
import duckdb from "@duckdb/node-api";
import Database from "better-sqlite3";
import type { Package } from "../../packages/cli/src/version.ts";
import { readVersion } from "../../packages/server/src/assets.ts";

/** Returns a description of the program: its version, its commit with a mark for uncommitted changes, and the versions of its engines. */
export function describeBuild(): Package & { type: "module" } {
  const changes = git("status", "--porcelain") === "" ? "" : " with changes";
  const database = new Database(":memory:");
  const sqlite = database.prepare<[], string>("SELECT sqlite_version()").pluck().get()!;
  database.close();
  return {
    type: "module",
    version: readVersion(),
    build: {
      commit: `${git("rev-parse", "--short=12", "HEAD") || "unknown"}${changes}`,
      committedAt: git("show", "-s", "--format=%cs") || "unknown",
      engines: { SQLite: sqlite, DuckDB: duckdb.version().replace(/^v/, "") },
    },
  };
}

/** Returns what git prints; an empty text outside of a clone. */
function git(...args: string[]): string {
  try {
    return execFileSync("git", args, {
      encoding: "utf8",
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
