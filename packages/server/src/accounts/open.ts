import type { Ground } from "../ground.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import type { OrganizationStore } from "../organizations/store.ts";
import { accountRoutes } from "./routes.ts";
import { createSignUp } from "./sign-up.ts";
import { createAccountStore } from "./store.ts";

const SIGN_INS_PER_MINUTE = 30;

export function openAccounts({ config, db, credentials, sessions }: Ground, organizations: OrganizationStore) {
  const store = createAccountStore(db, credentials, organizations);
  const signUp = createSignUp(sessions, store, config);
  return { store, signUp, routes: accountRoutes(store, sessions, signUp, createRateLimit(SIGN_INS_PER_MINUTE)) };
}
