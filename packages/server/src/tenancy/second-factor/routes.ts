import type { Routes } from "../../http/operation.ts";
import type { passwordRequired } from "../accounts/routes.ts";
import type { PeopleStore } from "../accounts/store/people.ts";
import type { SecondFactorCheck } from "./check.ts";
import { hasFactorAlready, hasNoApp, hasNoFactor, wrongFactorForChange } from "./rules.ts";
import type { SecondFactorStore } from "./store/factors.ts";
import { newTotpSecret, stepOf, totpUri } from "./totp.ts";

type Parts = {
  store: SecondFactorStore;
  check: SecondFactorCheck;
  people: Pick<PeopleStore, "find">;
  /** Counts an attempt and throws when the password of the signed-in person is wrong. */
  requirePassword: ReturnType<typeof passwordRequired>;
};

/** The name under which an authenticator app shows the account. */
const ISSUER = "svc";

export function secondFactorRoutes({ store, check, people, requirePassword }: Parts): Routes<"secondFactor"> {
  return {
    secondFactor: {
      get: async ({ caller: { userId } }) => ({
        authenticator: await store.hasApp(userId),
        recovery_codes_left: await store.recoveryCodesLeft(userId),
      }),

      newSecret: async ({ caller, http }) => {
        const secret = newTotpSecret();
        const account = `${(await people.find(caller.userId))!.email} at ${http.hostname}`;
        return { secret, uri: totpUri(secret, { issuer: ISSUER, account }) };
      },

      enable: async ({ caller, body: { password, secret, code, ...shown }, http, audit }) => {
        if (await store.hasApp(caller.userId)) throw hasFactorAlready();
        await requirePassword({ caller, http, audit }, password);
        const step = stepOf(secret, code, Date.now());
        if (step === undefined) throw wrongFactorForChange();
        if (await store.has(caller.userId)) await check.ofChange(http, caller.userId, shown);
        return { recovery_codes: await store.add(caller, secret, step) };
      },

      newRecoveryCodes: async ({ caller, body: { password, ...shown }, http, audit }) => {
        const { userId } = caller;
        if (!(await store.has(userId))) throw hasNoFactor();
        await requirePassword({ caller, http, audit }, password);
        await check.ofChange(http, userId, shown);
        return { recovery_codes: await store.renewRecoveryCodes(userId) };
      },

      disable: async ({ caller, body: { password, ...shown }, http, audit }) => {
        const { userId } = caller;
        if (!(await store.hasApp(userId))) throw hasNoApp();
        await requirePassword({ caller, http, audit }, password);
        await check.ofChange(http, userId, shown);
        await store.removeApp(userId);
      },
    },
  };
}
