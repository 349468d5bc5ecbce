import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS } from "../assets.ts";
import { sha256 } from "../base/secrets/secrets.ts";

export type Migration = { name: string; sql: string };

/** The former SHA-256 of migrations whose comments were changed after they had been applied. Their statements are the same. */
const FORMER_SHA256: Record<string, string> = {
  "0001-accounts.sql": "9f7f13dacb0ef0149ebbd40f9e66de58264f4293623857667343a15af1690474",
  "0002-tests.sql": "30a7bc518b6403a1fcd322cba6d135fce9a15afaf654a082ae0b6403ed46ca1f",
  "0003-sealed-credentials.sql": "0725849baaf0efc70f453860621c6fb2ff0d08ab764623b71172287461c49397",
  "0004-agents.sql": "e3d50bf19752f19b1f457ef47d865bc24577f10dabe5b0aae61eff7bf6b061fc",
  "0005-monitoring.sql": "c253a7a05ddf3a86dfb7dcdb44e875b3d667572517c19cddffad5b851f984a05",
  "0006-personas.sql": "5bfb43b3502996d9dd24e8546c21a73b085876fb7d49c9e033e687ad5c45a52c",
  "0007-voices.sql": "84274276147c1bb77ec781103a1a9c34088dbf37b0487c5c2e0a3c821f915755",
  "0008-mock-tools.sql": "5c5064eaf5280a338082a1037a3d991a74fada96b82ab762539de33441f7c976",
  "0009-runs.sql": "9e958c60447f2643c0592a95fa4327e365b267f56ffc0bcd455816adfa47218f",
  "0010-graders.sql": "c2dc2feb1e24107d5bac1227d2380ff432ec2ab0ac38ae97963c3813e6bd949a",
};

const migrationNames = () =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .sort();

/** Returns the first applied migration that this version does not have, because a newer version wrote the store; undefined if none. */
export function unknownMigration(applied: Iterable<string>): string | undefined {
  const names = new Set(migrationNames());
  return [...applied].find((name) => !names.has(name));
}

/**
 * Returns the migrations to apply. `applied` has the SHA-256 of each applied migration. Throws if a newer version wrote the store, or if an
 * applied file was edited.
 */
export function pendingMigrations(applied: ReadonlyMap<string, string>, store: string): Migration[] {
  const unknown = unknownMigration(applied.keys());
  if (unknown) throw new Error(`A newer version wrote this ${store} (migration ${unknown}). Start that version.`);
  const migrations = migrationNames().map((name) => ({ name, sql: readFileSync(join(MIGRATIONS, name), "utf8") }));
  for (const { name, sql } of migrations) {
    const appliedSha256 = applied.get(name);
    if (appliedSha256 === undefined || appliedSha256 === sha256(sql) || appliedSha256 === FORMER_SHA256[name]) continue;
    throw new Error(`The migration ${name} was edited after it was applied. Restore the file and add a new migration.`);
  }
  return migrations.filter(({ name }) => !applied.has(name));
}
