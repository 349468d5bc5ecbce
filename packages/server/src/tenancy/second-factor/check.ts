import type { Attempts } from "../accounts/store/attempts.ts";
import {
  factorMissing,
  factorMissingForChange,
  type Shown,
  unreadableSecret,
  wrongFactor,
  wrongFactorForChange,
} from "./rules.ts";
import type { SecondFactorStore } from "./store.ts";
import { stepOf } from "./totp.ts";

/** Checks second factors. Wrong codes of one account slow each other from all networks: only people with the password try any. */
export type SecondFactorCheck = {
  /** Refuses a sign-in whose password was right when the account has a second factor that the person does not show. */
  ofSignIn: (userId: string, shown: Shown) => Promise<void>;
  /** Refuses a change by a signed-in person who does not show the second factor of the account. */
  ofChange: (userId: string, shown: Shown) => Promise<void>;
};

export function createSecondFactorCheck(store: SecondFactorStore, attempts: Attempts): SecondFactorCheck {
  async function isShown(userId: string, { code, recovery_code }: Shown): Promise<boolean> {
    if (recovery_code !== undefined) return store.useRecoveryCode(userId, recovery_code);
    const secret = await store.secretOf(userId);
    if (secret === undefined) throw unreadableSecret();
    const step = stepOf(secret, code!, Date.now());
    return step !== undefined && store.useStep(userId, step);
  }

  /** Counts the try, and returns whether the person shows the factor. */
  async function tried(userId: string, shown: Shown): Promise<boolean> {
    await attempts.begin(userId);
    const isRight = await isShown(userId, shown);
    if (isRight) await attempts.succeed(userId);
    return isRight;
  }

  const isMissing = ({ code, recovery_code }: Shown) => code === undefined && recovery_code === undefined;

  return {
    async ofSignIn(userId, shown) {
      if (!(await store.has(userId))) return;
      if (isMissing(shown)) throw factorMissing();
      if (!(await tried(userId, shown))) throw wrongFactor();
    },

    async ofChange(userId, shown) {
      if (isMissing(shown)) throw factorMissingForChange();
      if (!(await tried(userId, shown))) throw wrongFactorForChange();
    },
  };
}
