import { randomInt } from "node:crypto";
import { LIMITS } from "@svc/contract";
import type { Db } from "../../../stores/relational.ts";
import type { SealedCredentials } from "../../../stores/sealed-credentials.ts";
import { transaction } from "../../../stores/transaction.ts";
import { hasPasskey, removePasskeys } from "./passkeys.ts";
import { hasFactorAlready, recoveryDigest } from "../rules.ts";

export type SecondFactorStore = {
  has: (userId: string) => Promise<boolean>;
  hasApp: (userId: string) => Promise<boolean>;
  recoveryCodesLeft: (userId: string) => Promise<number>;
  /** Returns the secret of a person's authenticator app. Undefined when the encryption key that sealed it is lost. */
  secretOf: (userId: string) => Promise<string | undefined>;
  /**
   * Adds an authenticator app. Throws `conflict` when the person has an app already. Counts the code of `step` as used. Returns recovery
   * codes when this is the person's first second factor, else null.
   */
  add: (owner: { userId: string; organizationId: string }, secret: string, step: number) => Promise<string[] | null>;
  /**
   * Runs `add`, which adds a second factor, in a transaction. Returns recovery codes when this is the person's first second factor,
   * else null.
   */
  addWith: <T>(userId: string, add: (tx: Db) => Promise<T>) => Promise<{ added: T; recoveryCodes: string[] | null }>;
  /** Marks the code of the step as used. Returns false when the code of this step or of a later step was used before. */
  useStep: (userId: string, step: number) => Promise<boolean>;
  useRecoveryCode: (userId: string, typed: string) => Promise<boolean>;
  renewRecoveryCodes: (userId: string) => Promise<string[]>;
  /** Removes the authenticator app. Deletes the recovery codes when no second factor is left. */
  removeApp: (userId: string) => Promise<void>;
  /** Runs `remove`, which removes a second factor, in a transaction. Deletes the recovery codes when no second factor is left. */
  removeWith: <T>(userId: string, remove: (tx: Db) => Promise<T>) => Promise<T>;
  removeAll: (userId: string) => Promise<void>;
};

const FACTORS = "second factors";

/** Letters and digits without pairs that look alike. */
const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
const GROUPS = 4;
const GROUP_LETTERS = 4;

/** Returns new recovery codes, each with 79 random bits. */
const newRecoveryCodes = () =>
  Array.from({ length: LIMITS.recoveryCodes }, () => Array.from({ length: GROUPS }, newGroup).join("-"));
const newGroup = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");

export function createSecondFactorStore(db: Db, sealed: SealedCredentials): SecondFactorStore {
  const hasApp = async (tx: Db, userId: string) =>
    (await tx.selectFrom("second_factors").select("user_id").where("user_id", "=", userId).executeTakeFirst()) !==
    undefined;
  const has = async (tx: Db, userId: string) => (await hasApp(tx, userId)) || hasPasskey(tx, userId);

  async function renewCodes(tx: Db, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
    const rows = codes.map((code) => ({ code_sha256: recoveryDigest(userId, code), user_id: userId }));
    await tx.insertInto("recovery_codes").values(rows).execute();
    return codes;
  }

  async function dropCodesWithoutFactor(tx: Db, userId: string): Promise<void> {
    if (!(await has(tx, userId))) await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  }

  const addWith: SecondFactorStore["addWith"] = (userId, add) =>
    transaction(db, FACTORS, async (tx) => {
      const isFirst = !(await has(tx, userId));
      const added = await add(tx);
      return { added, recoveryCodes: isFirst ? await renewCodes(tx, userId) : null };
    });

  const removeWith: SecondFactorStore["removeWith"] = (userId, remove) =>
    transaction(db, FACTORS, async (tx) => {
      const removed = await remove(tx);
      await dropCodesWithoutFactor(tx, userId);
      return removed;
    });

  return {
    has: (userId) => has(db, userId),
    hasApp: (userId) => hasApp(db, userId),
    addWith,
    removeWith,

    async recoveryCodesLeft(userId) {
      const codes = await db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", userId).execute();
      return codes.length;
    },

    secretOf: (userId) => sealed.open(userId),

    async add({ userId, organizationId }, secret, step) {
      const { recoveryCodes } = await addWith(userId, async (tx) => {
        if (await hasApp(tx, userId)) throw hasFactorAlready();
        const row = { user_id: userId, last_step: step, created_at: new Date().toISOString() };
        await tx.insertInto("second_factors").values(row).execute();
        await sealed.put(tx, { id: userId, organizationId }, secret, "");
      });
      return recoveryCodes;
    },

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

    removeApp: (userId) => removeWith(userId, (tx) => removeApp(tx, sealed, userId)),
    removeAll: (userId) => transaction(db, FACTORS, (tx) => removeSecondFactor(tx, sealed, userId)),
  };
}

async function removeApp(tx: Db, sealed: Pick<SealedCredentials, "remove">, userId: string): Promise<void> {
  await tx.deleteFrom("second_factors").where("user_id", "=", userId).execute();
  await sealed.remove(tx, userId);
}

export async function removeSecondFactor(tx: Db, sealed: Pick<SealedCredentials, "remove">, userId: string) {
  await removeApp(tx, sealed, userId);
  await removePasskeys(tx, userId);
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}
