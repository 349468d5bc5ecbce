import { sha256 } from "../../../base/secrets/secrets.ts";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import { countAttempt, FORGOTTEN_AFTER_MS, refuseWaiting } from "../attempts.ts";

/**
 * Slows down guesses at a password. A subject is usually an account together with the network of the client. A stranger who guesses from
 * another network therefore cannot lock out the account's owner.
 */
export type Attempts = {
  /** Counts an attempt. Throws `too_many_requests` while the subject still has to wait after its earlier attempts. */
  begin: (subject: string) => Promise<number>;
  /** Throws in the same cases as `begin`, and counts nothing. */
  check: (subject: string) => Promise<void>;
  /** Ends the wait of the subject. Call `succeed` after a right password or code. */
  succeed: (subject: string) => Promise<void>;
};

/**
 * All processes share the counter in the database, which stores only digests of the subjects. `what` names the tried
 * input in error messages.
 */
export function createAttempts(db: Db, what?: string): Attempts {
  const { nowMs } = dialectOf(db);
  const digestOf = (name: string) => sha256(what === undefined ? name : `${what} ${name}`);
  let removedAt = performance.now();

  async function removeForgotten(): Promise<void> {
    if (performance.now() - removedAt < FORGOTTEN_AFTER_MS) return;
    removedAt = performance.now();
    await db
      .deleteFrom("password_attempts")
      .where(({ eb }) => eb(nowMs, ">", eb("next_ms", "+", FORGOTTEN_AFTER_MS)))
      .execute();
  }

  return {
    async begin(name) {
      await removeForgotten();
      const subject = digestOf(name);
      return transaction(db, `password attempts ${subject}`, async (tx) => {
        const { now } = await tx.selectNoFrom(nowMs.as("now")).executeTakeFirstOrThrow();
        const earlier = await tx
          .selectFrom("password_attempts")
          .select(["count", "next_ms as nextMs"])
          .where("subject", "=", subject)
          .executeTakeFirst();
        const { count, nextMs } = countAttempt(earlier, now, what);
        await tx
          .insertInto("password_attempts")
          .values({ subject, count, next_ms: nextMs })
          .onConflict((conflict) => conflict.column("subject").doUpdateSet({ count, next_ms: nextMs }))
          .execute();
        return count;
      });
    },
    async check(name) {
      const earlier = await db
        .selectFrom("password_attempts")
        .select(["next_ms as nextMs", nowMs.as("now")])
        .where("subject", "=", digestOf(name))
        .executeTakeFirst();
      if (earlier) refuseWaiting(earlier.nextMs, earlier.now, what);
    },
    async succeed(name) {
      await db.deleteFrom("password_attempts").where("subject", "=", digestOf(name)).execute();
    },
  };
}
