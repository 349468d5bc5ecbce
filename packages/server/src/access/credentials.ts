import { SECRET_PATTERN } from "@svc/contract";
import { every } from "../base/async/every.ts";
import { sha256 } from "../base/secrets/secrets.ts";
import { isStoreUnavailable, type Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";
import { createCachedKeys } from "./cached-keys.ts";
import type { KeyUse } from "./key-table.ts";
import { createSharedKeys } from "./shared-keys.ts";

const LAST_USED_WRITE_MS = 60_000;

export type Credentials = {
  /**
   * Returns the caller behind a secret; undefined when it is unknown or revoked, or its creator was removed. The caller of a key
   * that has expired is returned too: `isExpired` tells.
   */
  callerOf: (secret: string) => Caller | undefined | Promise<Caller | undefined>;
  /** Notes a successful use of the key from a client's address. */
  used: (keyId: string, address: string) => void;
  /** Drops all cached keys. Every change of a key, a role, a membership or a project's name calls it in the same step. */
  forget: () => void;
  /** Writes the last uses that are still in memory. */
  flush: () => Promise<void>;
  close: () => Promise<void>;
};

/** Resolves API keys, and notes when they were used. */
export function openCredentials({ db, embedded }: Relational): Credentials {
  const keys = embedded === undefined ? createSharedKeys(db) : createCachedKeys(embedded);
  const used = new Map<string, KeyUse>();

  async function flush(): Promise<void> {
    if (used.size === 0) return;
    const uses = new Map(used);
    await keys.noteUses(uses);
    for (const [keyId, use] of uses) if (used.get(keyId) === use) used.delete(keyId);
  }

  /** While the store is unavailable, the times of last use stay in memory, and the next write includes them. */
  function acceptUnavailable(error: unknown): void {
    if (!isStoreUnavailable(error)) throw error;
  }

  const closing = new AbortController();
  const noting = every(LAST_USED_WRITE_MS, flush, closing.signal, acceptUnavailable);

  return {
    callerOf: (secret) => (SECRET_PATTERN.test(secret) ? keys.find(sha256(secret)) : undefined),

    used(keyId, address) {
      used.set(keyId, { at: new Date().toISOString(), address });
    },

    forget: keys.forget,
    flush,

    async close() {
      closing.abort();
      await noting.idle();
      await flush().catch(acceptUnavailable);
    },
  };
}

/** Returns whether the caller's key has expired. */
export const isExpired = ({ keyExpiresAt }: Caller, now: Date): boolean =>
  keyExpiresAt !== null && new Date(keyExpiresAt) <= now;
