import { createHash, randomBytes } from "node:crypto";
import type { AppOptions } from "@svc/server";
import { verifyPassword } from "better-auth/crypto";

const MARK = "spec";
const digestOf = (salt: string, password: string) => createHash("sha256").update(`${salt} ${password}`).digest("hex");

/**
 * Hashes passwords with almost no processor time; the service's own hash takes 66 ms. A service of users cannot be started with
 * this option, and refuses passwords with this hash, because the hash does not have the form of its own.
 */
export const FAST_PASSWORDS: NonNullable<AppOptions["passwordHash"]> = {
  hash: (password) => {
    const salt = randomBytes(8).toString("hex");
    return Promise.resolve([MARK, salt, digestOf(salt, password)].join("$"));
  },
  verify: ({ hash, password }) => {
    const [mark, salt, digest] = hash.split("$");
    if (mark !== MARK) return verifyPassword({ hash, password });
    return Promise.resolve(digest === digestOf(salt!, password));
  },
};
