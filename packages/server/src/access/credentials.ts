import { SECRET_PATTERN } from "@svc/contract";
import { every } from "../every.ts";
import { sha256 } from "../secrets.ts";
import { isStoreUnavailable, type Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";

const CACHED_KEYS = 10_000;
const LAST_USED_WRITE_MS = 5_000;

export type Credentials = ReturnType<typeof openCredentials>;

/**
 * Resolves API keys. Keys are remembered by their SHA-256 until `forget`: every change of a key, a role, a membership
 * or a project's name in this process calls it in the same step, so it holds on the very next request.
 */
export function openCredentials({ engine }: Relational) {
  const find = engine.prepare<[string], Omit<Caller, "project"> & { number: number; name: string }>(`
    SELECT 'key' AS via, k.created_by_user_id AS userId, k.organization_id AS organizationId, m.role AS role,
           k.id AS keyId, k.project_id AS projectId, p.number, p.name
    FROM api_keys k
    LEFT JOIN projects p ON p.id = k.project_id
    JOIN memberships m ON m.user_id = k.created_by_user_id AND m.organization_id = k.organization_id
    WHERE k.secret_sha256 = ? AND k.revoked_at IS NULL`);
  const touch = engine.prepare("UPDATE api_keys SET last_used_at = ? WHERE id = ?");
  const known = new Map<string, Caller>();
  const used = new Map<string, string>();

  const write = engine.transaction(() => {
    for (const [keyId, at] of used) touch.run(at, keyId);
  });
  const writeLastUsed = () => {
    write();
    used.clear();
  };
  const flush = () => {
    if (used.size > 0) writeLastUsed();
  };
  const closing = new AbortController();
  every(LAST_USED_WRITE_MS, flush, closing.signal, (error) => {
    // The next write takes them along.
    if (!isStoreUnavailable(error)) throw error;
  });

  function look(hash: string): Caller | undefined {
    const row = find.get(hash);
    if (!row) return undefined;
    const { number, name, ...caller } = row;
    return { ...caller, project: caller.projectId === null ? null : { id: caller.projectId, number, name } };
  }

  function remember(hash: string): Caller | undefined {
    const caller = look(hash);
    if (!caller) return undefined;
    if (known.size >= CACHED_KEYS) known.clear();
    known.set(hash, caller);
    return caller;
  }

  return {
    /** The caller behind a secret, or undefined for one that is unknown, revoked or whose creator was removed. */
    callerOf(secret: string): Caller | undefined {
      if (!SECRET_PATTERN.test(secret)) return undefined;
      const hash = sha256(secret);
      const caller = known.get(hash) ?? remember(hash);
      if (!caller) return undefined;
      used.set(caller.keyId!, new Date().toISOString());
      return caller;
    },
    forget(): void {
      known.clear();
    },
    /** Writes the `last_used_at` that are still in memory. */
    flush,
    close(): void {
      closing.abort();
      writeLastUsed();
    },
  };
}
