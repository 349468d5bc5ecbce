import type Database from "better-sqlite3";
import { sha256 } from "../base/secrets/secrets.ts";
import { type Migration, pendingMigrations } from "./migrations.ts";
import { copyBeforeUpgrade, removeOldCopies } from "./folder/upgrade-copy.ts";

export const appliedMigrations = (engine: Database.Database): string[] =>
  engine.prepare<[], string>("SELECT name FROM migrations").pluck().all();

/** Result of the upgrade of a store with data: the number of applied migrations, and the path of the copy made before the upgrade. */
export type Upgrade = { migrations: number; copy: string };

/**
 * Applies each new migration in its own transaction. First copies the store if it has data. Returns undefined if the store was new
 * or had all migrations. Throws if an applied file was edited or is missing here, or if a migration fails.
 */
export function migrate(engine: Database.Database, dataDir: string): Upgrade | undefined {
  engine.exec(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
  );
  const applied = new Map(engine.prepare<[], [string, string]>("SELECT name, sha256 FROM migrations").raw().all());
  const pending = pendingMigrations(applied, "data folder");
  if (pending.length === 0) {
    removeOldCopies(dataDir);
    return undefined;
  }
  const copy = applied.size > 0 ? copyBeforeUpgrade(engine, dataDir, pending[0]!.name) : undefined;
  const record = engine.prepare("INSERT INTO migrations (name, sha256, applied_at) VALUES (?, ?, ?)");
  const apply = ({ name, sql }: Migration) => {
    try {
      engine.transaction(() => {
        engine.exec(sql);
        record.run(name, sha256(sql), new Date().toISOString());
      })();
    } catch (error) {
      const wayBack = copy === undefined ? "" : ` The copy ${copy} holds the store as it was before the upgrade.`;
      throw new Error(`The migration ${name} failed and changed nothing: ${(error as Error).message}.${wayBack}`, {
        cause: error,
      });
    }
  };
  const applyAll = () => pending.forEach(apply);
  // For a new store, one transaction applies all migrations with one write to the disk.
  if (applied.size === 0) engine.transaction(applyAll)();
  else applyAll();
  return copy === undefined ? undefined : { migrations: pending.length, copy };
}
