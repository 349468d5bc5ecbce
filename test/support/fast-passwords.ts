import { createHash, randomBytes } from "node:crypto";
import type { AppOptions } from "@svc/server";
import { verifyPassword } from "better-auth/crypto";

const MARK = "spec";
const digestOf = (salt: string, password: string) => createHash("sha256").update(`${salt} ${password}`).digest("hex");

/**
 * A hash of passwords that costs specs nothing; the slow one takes 66 ms of processor time. The service of people, which has no
 * such option, refuses a password that has this hash: its parts do not look like its own.
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
