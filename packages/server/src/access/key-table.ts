import type { Caller } from "./caller.ts";

/** The keys of the store. A change of a key applies to the next request on both engines. */
export type KeyTable = {
  /** Returns the caller behind a key by the SHA-256 of its secret. */
  find: (sha256: string) => Caller | undefined | Promise<Caller | undefined>;
  /** Writes the last use of each key. */
  noteUses: (uses: ReadonlyMap<string, string>) => void | Promise<void>;
  /** Drops all cached keys. */
  forget: () => void;
};
