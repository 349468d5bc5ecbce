import { randomInt } from "node:crypto";
import { LIMITS } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import { hasFactorAlready, recoveryDigest } from "./rules.ts";

/** Authenticator apps and recovery codes of people. */
export type SecondFactorStore = {
  has: (userId: string) => Promise<boolean>;
  recoveryCodesLeft: (userId: string) => Promise<number>;
  /** Returns the secret of the person's app; undefined when a lost key sealed it. */
  secretOf: (userId: string) => Promise<string | undefined>;
  /** Stores the secret of the app and returns new recovery codes; refuses a person who has an app. The code of `step` counts as used. */
  add: (owner: { userId: string; organizationId: string }, secret: string, step: number) => Promise<string[]>;
  /** Marks the code of the step as used; returns false when it, or a later one, was used before. */
  useStep: (userId: string, step: number) => Promise<boolean>;
  /** Deletes a recovery code; returns false when the person has none like it. */
  useRecoveryCode: (userId: string, typed: string) => Promise<boolean>;
  /** Replaces the recovery codes and returns the new ones. */
  renewRecoveryCodes: (userId: string) => Promise<string[]>;
  remove: (userId: string) => Promise<void>;
};

/** The scope of transactions about second factors. */
const FACTORS = "second factors";

/** Letters and digits that are not easily taken for another one. */
const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
const GROUPS = 4;
const GROUP_LETTERS = 4;

/** Returns new recovery codes, of 79 random bits each. */
const newRecoveryCodes = () =>
  Array.from({ length: LIMITS.recoveryCodes }, () => Array.from({ length: GROUPS }, newGroup).join("-"));
const newGroup = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");

export function createSecondFactorStore(db: Db, sealed: SealedCredentials): SecondFactorStore {
  const has = async (tx: Db, userId: string) =>
    (await tx.selectFrom("second_factors").select("user_id").where("user_id", "=", userId).executeTakeFirst()) !==
    undefined;

  async function renewCodes(tx: Db, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
    const rows = codes.map((code) => ({ code_sha256: recoveryDigest(userId, code), user_id: userId }));
    await tx.insertInto("recovery_codes").values(rows).execute();
    return codes;
  }

  return {
    has: (userId) => has(db, userId),

    async recoveryCodesLeft(userId) {
      const codes = await db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", userId).execute();
      return codes.length;
    },

    secretOf: (userId) => sealed.open(userId),

    add: ({ userId, organizationId }, secret, step) =>
      transaction(db, FACTORS, async (tx) => {
        if (await has(tx, userId)) throw hasFactorAlready();
        const row = { user_id: userId, last_step: step, created_at: new Date().toISOString() };
        await tx.insertInto("second_factors").values(row).execute();
        await sealed.put(tx, { id: userId, organizationId }, secret, "");
        return renewCodes(tx, userId);
      }),

    async useStep(userId, step) {
      const used = await db
        .updateTable("second_factors")
        .set({ last_step: step })
        .where("user_id", "=", userId)
        .where("last_step", "<", step)
        .executeTakeFirst();
      return used.numUpdatedRows > 0n;
    },

    async useRecoveryCode(userId, typed) {
      const used = await db
        .deleteFrom("recovery_codes")
        .where("code_sha256", "=", recoveryDigest(userId, typed))
        .executeTakeFirst();
      return used.numDeletedRows > 0n;
    },

    renewRecoveryCodes: (userId) => transaction(db, FACTORS, (tx) => renewCodes(tx, userId)),

    remove: (userId) => transaction(db, FACTORS, async (tx) => removeSecondFactor(tx, sealed, userId)),
  };
}

/** Removes a person's authenticator app and recovery codes, in the caller's transaction. */
export async function removeSecondFactor(tx: Db, sealed: Pick<SealedCredentials, "remove">, userId: string) {
  await tx.deleteFrom("second_factors").where("user_id", "=", userId).execute();
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await sealed.remove(tx, userId);
}
