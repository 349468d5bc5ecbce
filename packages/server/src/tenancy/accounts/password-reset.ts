import type { Sessions } from "../../access/sessions.ts";
import { AppError } from "../../base/errors.ts";
import type { SharedRateLimit } from "../../http/rate-limit.ts";
import type { Log } from "../../base/log/log.ts";
import type { Mail } from "../../base/net/mail.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { resetMail } from "./mails.ts";
import type { ResetStore } from "./store/password-resets.ts";
import { PEOPLE, type PeopleStore } from "./store/people.ts";

/** Sets new passwords: a known one is changed, a forgotten one is reset with a token. */
export type PasswordReset = {
  change: (userId: string, password: string) => Promise<void>;
  /** Sends a token for each account of the address; refuses without mail, and does not say whether there is an account. */
  request: (address: string) => Promise<void>;
  /** Sets the password of the token's account and ends its sessions; refuses a token that cannot be used. */
  use: (token: string, password: string) => Promise<void>;
};

type Parts = {
  db: Db;
  sessions: Sessions;
  people: PeopleStore;
  resets: ResetStore;
  mail: Mail | undefined;
  /** Mails to one address. */
  mails: SharedRateLimit;
  serviceUrl: string;
  log: Log;
};

export function createPasswordReset({
  db,
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

  return {
    async change(userId, password) {
      const hash = await sessions.hashPassword(password);
      await transaction(db, PEOPLE, (tx) => sessions.setPassword(tx, userId, hash));
    },

    async request(address) {
      if (!mail)
        throw new AppError(
          "conflict",
          "This service sends no mail. Ask an admin of your organization for a token: `svc members reset-password`.",
        );
      if ((await mails.count(address)).exceeded) return;
      // The answer does not wait for the mail, because its time would show whether the address has an account.
      void sendTokens(mail, address).catch((error: unknown) =>
        log.error({ err: error }, "a mail with a password reset could not be sent"),
      );
    },

    async use(token, password) {
      if ((await resets.isUsable(token)) && (await resets.use(token, await sessions.hashPassword(password)))) return;
      throw new AppError("not_permitted", "This token was used, has expired or is not valid. Ask for a new one.");
    },
  };
}
