import { SECRET_PATTERN } from "@svc/contract";
import { every } from "../every.ts";
import { sha256 } from "../secrets.ts";
import { isStoreUnavailable, type Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";

const CACHED_KEYS = 10_000;
const LAST_USED_WRITE_MS = 5_000;

export type Credentials = {
  /** Returns the caller behind a secret; undefined when it is unknown or revoked, or its creator was removed. */
  callerOf: (secret: string) => Caller | undefined;
  /** Notes a successful use of the key. */
  used: (keyId: string) => void;
  /** Drops all cached keys. */
  forget: () => void;
  /** Writes the `last_used_at` times that are still in memory. */
  flush: () => void;
  close: () => void;
};

/**
 * Resolves API keys and caches them by their SHA-256. Every change of a key, a role, a membership or a project's name calls
 * `forget` in the same step, so that it applies to the next request.
 */
export function openCredentials({ engine, committed }: Relational): Credentials {
  const find = engine.prepare<[string], Omit<Caller, "project"> & { number: number; name: string }>(`
    SELECT 'key' AS via, k.created_by_user_id AS userId, k.organization_id AS organizationId, m.role AS role,
           k.id AS keyId, k.project_id AS projectId, p.number, p.name
    FROM api_keys k
    LEFT JOIN projects p ON p.id = k.project_id
    JOIN memberships m ON m.user_id = k.created_by_user_id AND m.organization_id = k.organization_id
    WHERE k.secret_sha256 = ? AND k.revoked_at IS NULL`);
  const touch = engine.prepare("UPDATE api_keys SET last_used_at = ? WHERE id = ?");
  const cache = new Map<string, Caller>();
  const used = new Map<string, string>();

  const write = engine.transaction(() => {
    for (const [keyId, at] of used) touch.run(at, keyId);
  });
  const writeLastUsed = () => {
    write();
    committed();
    used.clear();
  };
  const flush = () => {
    if (used.size > 0) writeLastUsed();
  };
  const closing = new AbortController();
  every(LAST_USED_WRITE_MS, flush, closing.signal, (error) => {
    // The times stay in memory, and the next write includes them.
    if (!isStoreUnavailable(error)) throw error;
  });

  function findCaller(hash: string): Caller | undefined {
    const row = find.get(hash);
    if (!row) return undefined;
    const { number, name, ...caller } = row;
    return { ...caller, project: caller.projectId === null ? null : { id: caller.projectId, number, name } };
  }

  function cacheCaller(hash: string): Caller | undefined {
    const caller = findCaller(hash);
    if (!caller) return undefined;
    if (cache.size >= CACHED_KEYS) cache.clear();
    cache.set(hash, caller);
    return caller;
  }

  return {
    callerOf(secret) {
      if (!SECRET_PATTERN.test(secret)) return undefined;
      const hash = sha256(secret);
      return cache.get(hash) ?? cacheCaller(hash);
    },
    used(keyId) {
      used.set(keyId, new Date().toISOString());
    },
    forget: () => cache.clear(),

    flush,

    close() {
      closing.abort();
      writeLastUsed();
    },
  };
}
