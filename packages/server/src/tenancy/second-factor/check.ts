import type { Context } from "koa";
import type { Attempts } from "../accounts/store/attempts.ts";
import {
  factorMissing,
  factorMissingForChange,
  passkeyRefusedAtSignIn,
  type Shown,
  unreadableSecret,
  wrongFactor,
  wrongFactorForChange,
} from "./rules.ts";
import type { Passkeys } from "./store/passkeys.ts";
import type { SecondFactorStore } from "./store/factors.ts";
import { stepOf } from "./totp.ts";

/** Number of consecutive wrong codes after which the service reports a condition. Whoever types the codes knows the password. */
export const WRONG_CODES_TOLD = 5;

/**
 * Checks the second factor of an account. Wrong codes slow down further attempts from every network. Strangers cannot use this to lock out
 * the owner, because only people who know the password can try codes.
 */
export type SecondFactorCheck = {
  /** Throws when the account has a second factor and the person does not show it. */
  ofSignIn: (http: Context, userId: string, shown: Shown) => Promise<void>;
  /** Throws when a signed-in person who changes the second factor does not show it. */
  ofChange: (http: Context, userId: string, shown: Shown) => Promise<void>;
};

export function createSecondFactorCheck(
  store: SecondFactorStore,
  passkeys: Passkeys,
  attempts: Attempts,
  reportWrongCodes: () => void,
): SecondFactorCheck {
  async function isRightCode(userId: string, { code, recovery_code }: Shown): Promise<boolean> {
    if (recovery_code !== undefined) return store.useRecoveryCode(userId, recovery_code);
    if (code === undefined || !(await store.hasApp(userId))) return false;
    const secret = await store.secretOf(userId);
    if (secret === undefined) throw unreadableSecret();
    const step = stepOf(secret, code, Date.now());
    return step !== undefined && store.useStep(userId, step);
  }

  /** Counts attempts with codes but not with passkeys, because nobody can guess the signature of a passkey. */
  async function isShown(http: Context, userId: string, shown: Shown): Promise<boolean> {
    if (shown.passkey !== undefined) return (await passkeys.holderOf(shown.passkey, passkeys.placeOf(http))) === userId;
    const count = await attempts.begin(userId);
    const isRight = await isRightCode(userId, shown);
    if (isRight) await attempts.succeed(userId);
    else if (count === WRONG_CODES_TOLD) reportWrongCodes();
    return isRight;
  }

  const isMissing = ({ code, recovery_code, passkey }: Shown) =>
    code === undefined && recovery_code === undefined && passkey === undefined;

  return {
    async ofSignIn(http, userId, shown) {
      if (!(await store.has(userId))) return;
      if (isMissing(shown)) throw factorMissing();
      if (!(await isShown(http, userId, shown).catch(passkeyRefusedAtSignIn))) throw wrongFactor();
    },

    async ofChange(http, userId, shown) {
      if (isMissing(shown)) throw factorMissingForChange();
      if (!(await isShown(http, userId, shown))) throw wrongFactorForChange();
    },
  };
}
