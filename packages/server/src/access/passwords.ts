import type { Db } from "../stores/relational.ts";
import type { PasswordHash } from "./password-hash.ts";

/** Stores and checks passwords. The database contains only slow hashes of them. */
export type Passwords = {
  /**
   * Returns the user's id. For an unknown name, the check takes as long as for a wrong password, so that the time does not show which names
   * exist.
   */
  userOf: (credential: { signInName: string; password: string }) => Promise<string | undefined>;
  isPassword: (userId: string, password: string) => Promise<boolean>;
  hashPassword: (password: string) => Promise<string>;
  setPassword: (tx: Db, userId: string, passwordHash: string) => Promise<void>;
};

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
