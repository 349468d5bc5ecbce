import type { KeyPermission } from "@svc/contract";
import type { Caller } from "./caller.ts";

/** The last use of an API key: an ISO 8601 time, and the client's address. */
export type KeyUse = { at: string; address: string };

/** Finds API keys. With every database, a change of a key takes effect at the next request. */
export type KeyTable = {
  /** Returns the caller of a key by the SHA-256 of its secret, even when the key has expired. */
  find: (sha256: string) => Caller | undefined | Promise<Caller | undefined>;
  noteUses: (uses: ReadonlyMap<string, KeyUse>) => void | Promise<void>;
  forget: () => void;
};

export const readPermissions = (stored: string) => JSON.parse(stored) as KeyPermission[];
