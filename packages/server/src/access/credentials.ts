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
   * Returns undefined when the secret is unknown or revoked, or when its creator left the organization. It also returns the caller of an
   * expired key, so check `isExpired` afterwards.
   */
  callerOf: (secret: string) => Caller | undefined | Promise<Caller | undefined>;
  used: (keyId: string, address: string) => void;
  /** Clears cached API keys. Call this function after every change of a key, a role, a membership or a project's name. */
  forget: () => void;
  /** Writes the keys' times of last use that are still in memory to the database. */
  flush: () => Promise<void>;
  close: () => Promise<void>;
};

export function openCredentials({ db, embedded }: Relational): Credentials {
  const keys = embedded === undefined ? createSharedKeys(db) : createCachedKeys(embedded);
  const used = new Map<string, KeyUse>();

  async function flush(): Promise<void> {
    if (used.size === 0) return;
    const uses = new Map(used);
    await keys.noteUses(uses);
    for (const [keyId, use] of uses) if (used.get(keyId) === use) used.delete(keyId);
  }

  /** Ignores an error of an unavailable store. The times of last use then stay in memory until the next write. */
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

export const isExpired = ({ keyExpiresAt }: Caller, now: Date): boolean =>
  keyExpiresAt !== null && new Date(keyExpiresAt) <= now;
