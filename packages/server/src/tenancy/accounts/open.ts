import type { Context } from "koa";
import type { ServiceContext } from "../../context.ts";
import type { KeyStore } from "../api-keys/store.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import { createMail } from "../../base/net/mail.ts";
import type { OrganizationStore } from "../organizations/store.ts";
import { GUESSES_PER_HOUR } from "./attempts.ts";
import { createAttempts } from "./store/attempts.ts";
import { createGuesses } from "./store/guesses.ts";
import { claimHostsOf } from "./claim-host.ts";
import { identityRoutes } from "./identity-routes.ts";
import { createPasswordReset } from "./password-reset.ts";
import { peopleRoutes } from "./people-routes.ts";
import { createSessionStarts } from "./session-starts.ts";
import { accountRoutes, countRequestOf, passwordRequired } from "./routes.ts";
import { createSecondFactorCheck, WRONG_CODES_TOLD } from "../second-factor/check.ts";
import { passkeyRoutes } from "../second-factor/passkey-routes.ts";
import { createPasskeys } from "../second-factor/store/passkeys.ts";
import { secondFactorRoutes } from "../second-factor/routes.ts";
import { createSecondFactorStore } from "../second-factor/store/factors.ts";
import { createSignUp } from "./sign-up.ts";
import { createInvitationStore } from "./store/invitations.ts";
import { createResetStore } from "./store/password-resets.ts";
import { createPeopleStore } from "./store/people.ts";

const REQUESTS_PER_MINUTE = 30;
const MAILS_PER_MINUTE = 3;

export function openAccounts(
  { config, db, conditions, credentials, sealed, sessions, log, serviceUrl }: ServiceContext,
  organizations: OrganizationStore,
  keys: KeyStore,
) {
  const people = createPeopleStore(db, { credentials, sessions, organizations, sealed });
  const invitations = createInvitationStore(db);
  const resets = createResetStore(db, sessions);
  const signUp = createSignUp(sessions, people, invitations, config);
  const mail = createMail(config);
  const requests = createLimit(db, "sign-ins", REQUESTS_PER_MINUTE);
  const mails = createLimit(db, "mails", MAILS_PER_MINUTE);
  const reset = createPasswordReset({ db, credentials, sessions, people, resets, mail, mails, serviceUrl, log });
  const passwords = createAttempts(db);
  const addresses = createAttempts(db, "sign-ups from this network");
  const guesses = createGuesses(db);
  const factors = createSecondFactorStore(db, sealed);
  const passkeys = createPasskeys(db, sessions);
  const reportWrongCodes = () =>
    conditions.report({
      code: "wrong_codes_at_account",
      degrades: false,
      message: `An account got ${WRONG_CODES_TOLD} wrong codes of its second factor in a row. Whoever types them has its password.`,
      remedy: "Ask your people whether it was one of them. If not, that person changes the password.",
    });
  const codes = createAttempts(db, "codes for this account");
  const secondFactor = createSecondFactorCheck(factors, passkeys, codes, reportWrongCodes);
  const ofFactors = {
    store: factors,
    check: secondFactor,
    people,
    requirePassword: passwordRequired(sessions, passwords),
  };
  const reportGuesses = () =>
    conditions.report({
      code: "guesses_at_account",
      degrades: false,
      message: `An account got ${GUESSES_PER_HOUR} wrong passwords within an hour. Networks from which it was never opened wait between tries now.`,
      remedy:
        "Nothing has to be done while the password is long and used nowhere else. Ask your people whether it is theirs, and change it if in doubt.",
    });
  const admit = ({ http }: { http: Context }) => countRequestOf(requests, http);
  const starts = createSessionStarts(sessions, people);
  const limits = { requests, passwords, addresses, guesses };
  const parts = { people, sessions, signUp, reset, ...limits, reportGuesses, secondFactor, starts };
  return {
    store: people,
    signUp,
    startSession: starts.startSession,
    admit,
    routes: {
      ...identityRoutes({ people, organizations, keys }),
      ...accountRoutes({ ...parts, claimHosts: claimHostsOf(config) }),
      ...secondFactorRoutes(ofFactors),
      ...passkeyRoutes({ ...ofFactors, passkeys, sessions, starts, admit }),
      ...peopleRoutes({ people, invitations, resets, organizations, requests, mail, serviceUrl, log }),
    },
  };
}
