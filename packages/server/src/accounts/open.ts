import type { Ground } from "../ground.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import { accountRoutes } from "./routes.ts";
import { openSignUp } from "./sign-up.ts";
import { openAccountStore } from "./store.ts";

const SIGN_INS_PER_MINUTE = 30;

export function openAccounts({ config, db, credentials, sessions }: Ground) {
  const store = openAccountStore(db, credentials);
  const signUp = openSignUp({ sessions, accounts: store, openSignUp: config.openSignUp });
  return { store, signUp, routes: accountRoutes(store, sessions, signUp, createRateLimit(SIGN_INS_PER_MINUTE)) };
}
