import type { Sessions } from "../../../access/sessions.ts";
import { newToken, sha256 } from "../../../base/secrets/secrets.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import { revokeKeysOf } from "../../api-keys/store.ts";
import { mayReset, type ResetRow } from "../rules.ts";
import { organizationIdsOf, PEOPLE } from "./people.ts";

const MAIL_HOURS = 1;
const ADMIN_HOURS = 24;

/** One-time tokens with which people set a new password. The database stores only their hashes. */
export type ResetStore = {
  /** The token is valid for one hour. */
  createForMail: (userId: string) => Promise<string>;
  /** The token is valid for 24 hours. Returns undefined unless the organization is the person's only one. */
  createForAdmin: (userId: string, organizationId: string) => Promise<{ token: string; expiresAt: string } | undefined>;
  /**
   * Creates a token for the operator of the service, valid for 24 hours. For a person of several organizations it is stored like a token
   * from a mail, because a token from an admin would not work.
   */
  createForOperator: (userId: string, organizationId: string) => Promise<{ token: string; expiresAt: string }>;
  holderOf: (token: string) => Promise<string | undefined>;
  /**
   * Sets the password, ends the person's sessions and deletes all their tokens, in one transaction. A token from a mail also proves the
   * address. With `revokeKeys`, it revokes the person's keys too. Returns the number of revoked keys; undefined when the token cannot be
   * used.
   */
  use: (token: string, passwordHash: string, revokeKeys: boolean) => Promise<number | undefined>;
};

export function createResetStore(db: Db, sessions: Pick<Sessions, "setPassword" | "endAllIn">): ResetStore {
  async function insert(tx: Db, userId: string, organizationId: string | null, hours: number) {
    const token = newToken();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + hours * 3600 * 1000).toISOString();
    await tx.deleteFrom("password_resets").where("expires_at", "<", now.toISOString()).execute();
    await tx
      .insertInto("password_resets")
      .values({
        token_sha256: sha256(token),
        user_id: userId,
        organization_id: organizationId,
        expires_at: expiresAt,
        created_at: now.toISOString(),
      })
      .execute();
    return { token, expiresAt };
  }

  async function usable(tx: Db, token: string): Promise<ResetRow | undefined> {
    const row = await tx
      .selectFrom("password_resets")
      .selectAll()
      .where("token_sha256", "=", sha256(token))
      .executeTakeFirst();
    return row && mayReset(row, await organizationIdsOf(tx, row.user_id), new Date()) ? row : undefined;
  }

  return {
    createForMail: async (userId) =>
      (await transaction(db, PEOPLE, (tx) => insert(tx, userId, null, MAIL_HOURS))).token,

    createForAdmin: (userId, organizationId) =>
      transaction(db, PEOPLE, async (tx) => {
        const organizations = await organizationIdsOf(tx, userId);
        if (organizations.length !== 1 || organizations[0] !== organizationId) return undefined;
        await dropResetsByAdmins(tx, userId);
        return insert(tx, userId, organizationId, ADMIN_HOURS);
      }),

    createForOperator: (userId, organizationId) =>
      transaction(db, PEOPLE, async (tx) => {
        const isInOne = (await organizationIdsOf(tx, userId)).length === 1;
        return insert(tx, userId, isInOne ? organizationId : null, ADMIN_HOURS);
      }),

    holderOf: async (token) => (await usable(db, token))?.user_id,

    use: (token, passwordHash, revokeKeys) =>
      transaction(db, PEOPLE, async (tx) => {
        const row = await usable(tx, token);
        if (!row) return undefined;
        await sessions.setPassword(tx, row.user_id, passwordHash);
        await sessions.endAllIn(tx, row.user_id);
        await tx.deleteFrom("password_resets").where("user_id", "=", row.user_id).execute();
        if (row.organization_id === null)
          await tx.updateTable("users").set({ email_verified: 1 }).where("id", "=", row.user_id).execute();
        return revokeKeys ? revokeKeysOf(tx, row.user_id) : 0;
      }),
  };
}

export async function dropResetsByAdmins(tx: Db, userId: string): Promise<void> {
  await tx
    .deleteFrom("password_resets")
    .where("user_id", "=", userId)
    .where("organization_id", "is not", null)
    .execute();
}
