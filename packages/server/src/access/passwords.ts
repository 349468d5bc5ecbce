import type { Db } from "../stores/relational.ts";
import type { PasswordHash } from "./password-hash.ts";

/** Passwords of people. The database stores only their slow hashes. */
export type Passwords = {
  /**
   * Returns the id of the user with this sign-in name and password; undefined when there is none. An unknown name takes as long as a
   * wrong password.
   */
  userOf: (credential: { signInName: string; password: string }) => Promise<string | undefined>;
  /** Returns whether the password is the user's. */
  isPassword: (userId: string, password: string) => Promise<boolean>;
  /** Returns the slow hash of a password, for `setPassword`. */
  hashPassword: (password: string) => Promise<string>;
  /** Stores the hash of a new password, in the caller's transaction. */
  setPassword: (tx: Db, userId: string, passwordHash: string) => Promise<void>;
};

/** Creates the passwords on the tables of the sign-in library. */
export function createPasswords(db: Db, { hash, verify }: PasswordHash): Passwords {
  return {
    async userOf({ signInName, password }) {
      const row = await db
        .selectFrom("users as u")
        .innerJoin("sign_ins as s", "s.user_id", "u.id")
        .select(["u.id", "s.password"])
        .where("u.email", "=", signInName)
        .where("s.provider_id", "=", "credential")
        .executeTakeFirst();
      if (row?.password == null) {
        await hash(password);
        return undefined;
      }
      return (await verify({ hash: row.password, password })) ? row.id : undefined;
    },

    async isPassword(userId, password) {
      const row = await db
        .selectFrom("sign_ins")
        .select("password")
        .where("user_id", "=", userId)
        .where("provider_id", "=", "credential")
        .executeTakeFirst();
      return row?.password != null && (await verify({ hash: row.password, password }));
    },

    hashPassword: hash,

    async setPassword(tx, userId, password) {
      await tx
        .updateTable("sign_ins")
        .set({ password })
        .where("user_id", "=", userId)
        .where("provider_id", "=", "credential")
        .execute();
    },
  };
}
