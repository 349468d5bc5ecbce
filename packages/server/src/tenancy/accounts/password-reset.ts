import type { Credentials } from "../../access/credentials.ts";
import type { Sessions } from "../../access/sessions.ts";
import { AppError } from "../../base/errors.ts";
import type { AccountAudit } from "../../http/audited.ts";
import type { SharedRateLimit } from "../../http/rate-limit.ts";
import type { Log } from "../../base/log/log.ts";
import type { Mail } from "../../base/net/mail.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { revokeKeysOf } from "../api-keys/store.ts";
import { resetMail } from "./mails.ts";
import type { ResetStore } from "./store/password-resets.ts";
import { PEOPLE, type PeopleStore } from "./store/people.ts";
import { refuseWeakPassword } from "./weak-passwords.ts";

export type PasswordReset = {
  /** If `ended.sessionsExcept` names a session, ends all other sessions. If `ended.keys` is true, revokes all keys. */
  change: (
    userId: string,
    password: string,
    ended: Ended & { sessionsExcept: string | undefined },
  ) => Promise<{ revokedKeys: number }>;
  signOutEverywhere: (userId: string, ended: Ended) => Promise<{ revokedKeys: number }>;
  /**
   * Sends one mail with a token for each account of the address. Throws `conflict` when the service sends no mail. The answer does not
   * reveal whether the address has an account.
   */
  request: (address: string, audit: AccountAudit) => Promise<void>;
  /** Sets the password of the token's account and ends its sessions. Throws `not_permitted` when the token cannot be used. */
  use: (token: string, password: string, ended: Ended, audit: AccountAudit) => Promise<{ revokedKeys: number }>;
};

type Ended = { keys: boolean | undefined };

type Parts = {
  db: Db;
  credentials: Credentials;
  sessions: Sessions;
  people: PeopleStore;
  resets: ResetStore;
  mail: Mail | undefined;
  mails: SharedRateLimit;
  serviceUrl: string;
  log: Log;
};

export function createPasswordReset({
  db,
  credentials,
  sessions,
  people,
  resets,
  mail,
  mails,
  serviceUrl,
  log,
}: Parts): PasswordReset {
  async function sendTokens(through: Mail, address: string): Promise<void> {
    const accounts = await people.accountsAt(address);
    if (accounts.length === 0) return;
    const tokens = await Promise.all(
      accounts.map(async ({ userId, createdAt }) => ({ token: await resets.createForMail(userId), createdAt })),
    );
    await through.send({ to: address, ...resetMail(serviceUrl, tokens) });
  }

  async function end(work: (tx: Db) => Promise<number>): Promise<{ revokedKeys: number }> {
    const revokedKeys = await transaction(db, PEOPLE, work);
    credentials.forget();
    return { revokedKeys };
  }

  return {
    async change(userId, password, ended) {
      const hash = await sessions.hashPassword(password);
      return end(async (tx) => {
        await sessions.setPassword(tx, userId, hash);
        if (ended.sessionsExcept !== undefined) await sessions.endAllIn(tx, userId, ended.sessionsExcept);
        return ended.keys ? revokeKeysOf(tx, userId) : 0;
      });
    },

    signOutEverywhere: (userId, { keys }) =>
      end(async (tx) => {
        await sessions.endAllIn(tx, userId);
        return keys ? revokeKeysOf(tx, userId) : 0;
      }),

    async request(address, audit) {
      if (!mail)
        throw new AppError(
          "conflict",
          "This service sends no mail. Ask an admin of your organization for a token: `svc members reset-password`.",
        );
      if ((await mails.count(address)).exceeded) return;
      audit.accountsAt(() => people.accountsAt(address));
      // The answer does not wait for the mail, because the time of the answer would show whether the address has an account.
      void sendTokens(mail, address).catch((error: unknown) =>
        log.error({ err: error }, "a mail with a password reset could not be sent"),
      );
    },

    async use(token, password, { keys = false }, audit) {
      const holder = await resets.holderOf(token);
      const person = holder === undefined ? undefined : await people.find(holder);
      if (person) refuseWeakPassword({ member: "new_password", password }, person);
      if (person) await audit.concerns({ userId: person.id });
      const revokedKeys = person && (await resets.use(token, await sessions.hashPassword(password), keys));
      if (revokedKeys !== undefined) {
        credentials.forget();
        return { revokedKeys };
      }
      throw new AppError("not_permitted", "This token was used, has expired or is not valid. Ask for a new one.");
    },
  };
}
