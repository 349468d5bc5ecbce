import { sha256 } from "../../../base/secrets/secrets.ts";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import { FORGOTTEN_AFTER_MS, GUESSES_PER_HOUR, KNOWN_FOR_MS, STRANGER_WAIT_MS, tooManyGuesses } from "../attempts.ts";

/**
 * Slows guesses at one account that come from many networks. A network from which the account was opened before stays free, so that
 * strangers do not lock its owner out.
 */
export type Guesses = {
  /** Refuses a try from an unknown network while the account has too many wrong passwords and another such try was made just before. */
  begin: (account: string, network: string) => Promise<void>;
  /** Counts a wrong password; returns whether it is the one that makes them too many. */
  fail: (account: string) => Promise<boolean>;
  /** Remembers the network of a right password. */
  succeed: (account: string, network: string) => Promise<void>;
};

/** Creates the guesses at all processes on the store, in the table of the attempts, which holds digests alone. */
export function createGuesses(db: Db): Guesses {
  const { nowMs } = dialectOf(db);
  const ofAll = (account: string) => sha256(`${account} from all networks`);
  const ofStrangers = (account: string) => sha256(`${account} from unknown networks`);
  const known = (account: string, network: string) => sha256(`${account} known at ${network}`);

  const now = async (tx: Db) => (await tx.selectNoFrom(nowMs.as("now")).executeTakeFirstOrThrow()).now;
  const read = (tx: Db, subject: string) =>
    tx.selectFrom("password_attempts").select(["count", "next_ms"]).where("subject", "=", subject).executeTakeFirst();
  const write = (tx: Db, subject: string, count: number, next_ms: number) =>
    tx
      .insertInto("password_attempts")
      .values({ subject, count, next_ms })
      .onConflict((conflict) => conflict.column("subject").doUpdateSet({ count, next_ms }))
      .execute();

  return {
    async begin(account, network) {
      const all = await read(db, ofAll(account));
      if (all === undefined || all.count < GUESSES_PER_HOUR) return;
      await transaction(db, `guesses ${ofAll(account)}`, async (tx) => {
        const atMs = await now(tx);
        if (atMs > all.next_ms || ((await read(tx, known(account, network)))?.next_ms ?? 0) > atMs) return;
        const last = await read(tx, ofStrangers(account));
        if (last !== undefined && last.next_ms > atMs) throw tooManyGuesses(last.next_ms - atMs);
        await write(tx, ofStrangers(account), 0, atMs + STRANGER_WAIT_MS);
      });
    },

    fail: (account) =>
      transaction(db, `guesses ${ofAll(account)}`, async (tx) => {
        const atMs = await now(tx);
        const earlier = await read(tx, ofAll(account));
        const isOver = earlier === undefined || atMs > earlier.next_ms;
        const count = isOver ? 1 : earlier.count + 1;
        await write(tx, ofAll(account), count, isOver ? atMs + FORGOTTEN_AFTER_MS : earlier.next_ms);
        return count === GUESSES_PER_HOUR;
      }),

    async succeed(account, network) {
      await write(db, known(account, network), 0, (await now(db)) + KNOWN_FOR_MS);
    },
  };
}
