import { sha256 } from "../secrets.ts";
import type { Relational } from "./relational.ts";

/**
 * Returns whether the secret is the same as at the last start; stores the digest of the first one, and of a secret that this
 * start created.
 */
export function isSameSecret(
  { engine, committed }: Relational,
  { name, secret, isNew }: { name: string; secret: string; isNew: boolean },
): boolean {
  const stored = engine.prepare<[string], string>("SELECT sha256 FROM secret_digests WHERE name = ?").pluck().get(name);
  const digest = sha256(secret);
  if (stored === digest) return true;
  if (stored !== undefined && !isNew) return false;
  engine.prepare("INSERT OR REPLACE INTO secret_digests (name, sha256) VALUES (?, ?)").run(name, digest);
  committed();
  return true;
}
