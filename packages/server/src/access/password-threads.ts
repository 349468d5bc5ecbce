import { randomBytes, timingSafeEqual } from "node:crypto";
import { startOf } from "../assets.ts";
import { callThread } from "../base/threads/call-thread.ts";
import { HASHES_AT_ONCE, type PasswordHash } from "./password-hash.ts";

export type PasswordFace = {
  options: undefined;
  calls: { keyOf: (password: string, salt: string) => Promise<Uint8Array> };
  events: Record<string, never>;
};

/**
 * Returns functions that hash passwords in separate threads. The threads start with the first hash. They have a low priority, so that many
 * sign-ins do not slow down other requests. The hashes have the format of the sign-in library.
 */
export function openPasswordThreads(count = HASHES_AT_ONCE): Required<PasswordHash> {
  const open = () => callThread<PasswordFace>(startOf("password-thread"), { options: undefined, on: {} });
  const threads = Array.from({ length: count }, open);
  let asked = 0;
  const keyOf = (password: string, salt: string) =>
    threads[asked++ % count]!.calls.keyOf(password.normalize("NFKC"), salt);

  return {
    async hash(password) {
      const salt = randomBytes(16).toString("hex");
      return `${salt}:${Buffer.from(await keyOf(password, salt)).toString("hex")}`;
    },

    async verify({ hash, password }) {
      const [, salt, hex] = /^([^:]+):((?:[0-9a-f]{2})+)$/.exec(hash) ?? [];
      if (salt === undefined) throw new Error("the stored hash of a password has an unknown form");
      const [stored, key] = [Buffer.from(hex!, "hex"), await keyOf(password, salt)];
      return stored.length === key.length && timingSafeEqual(stored, key);
    },

    close: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}
