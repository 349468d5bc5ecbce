import type { Embedded } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";
import { type KeyTable, type KeyUse, readPermissions } from "./key-table.ts";

const CACHED_KEYS = 10_000;

type Stored = { permissions: string; number: number; name: string };

/**
 * Keeps API keys in memory, by the SHA-256 of their secrets. Use it only with the embedded store, where no other process can change a key.
 */
export function createCachedKeys({ engine, committed }: Embedded): KeyTable {
  const select = engine.prepare<[string], Omit<Caller, "project" | "permissions"> & Stored>(`
    SELECT 'key' AS via, NULL AS sessionId, k.created_by_user_id AS userId, k.organization_id AS organizationId, m.role AS role,
           k.id AS keyId, k.project_id AS projectId, k.permissions, k.expires_at AS keyExpiresAt, p.number, p.name
    FROM api_keys k
    LEFT JOIN projects p ON p.id = k.project_id
    JOIN memberships m ON m.user_id = k.created_by_user_id AND m.organization_id = k.organization_id
    WHERE k.secret_sha256 = ? AND k.revoked_at IS NULL`);
  const touch = engine.prepare("UPDATE api_keys SET last_used_at = ?, last_used_address = ? WHERE id = ?");
  const cache = new Map<string, Caller>();

  const write = engine.transaction((uses: ReadonlyMap<string, KeyUse>) => {
    for (const [keyId, { at, address }] of uses) touch.run(at, address, keyId);
  });

  function findStored(sha256: string): Caller | undefined {
    const row = select.get(sha256);
    if (!row) return undefined;
    const { number, name, permissions, ...caller } = row;
    const project = caller.projectId === null ? null : { id: caller.projectId, number, name };
    return { ...caller, permissions: readPermissions(permissions), project };
  }

  function findAndCache(sha256: string): Caller | undefined {
    const caller = findStored(sha256);
    if (!caller) return undefined;
    if (cache.size >= CACHED_KEYS) cache.clear();
    cache.set(sha256, caller);
    return caller;
  }

  return {
    find: (sha256) => cache.get(sha256) ?? findAndCache(sha256),

    noteUses(uses) {
      write(uses);
      committed();
    },

    forget: () => cache.clear(),
  };
}
