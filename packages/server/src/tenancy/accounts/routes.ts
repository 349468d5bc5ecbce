import type { Context } from "koa";
import type { Caller } from "../../access/caller.ts";
import type { Sessions } from "../../access/sessions.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { blockOf } from "../../http/address-block.ts";
import type { AccountAudit } from "../../http/audited.ts";
import { ownOrigin, requireSameOrigin } from "../../http/authenticate.ts";
import type { Routes } from "../../http/operation.ts";
import { type SharedRateLimit, tooManyRequests } from "../../http/rate-limit.ts";
import type { Attempts } from "./store/attempts.ts";
import type { Guesses } from "./store/guesses.ts";
import type { PasswordReset } from "./password-reset.ts";
import { requireClaimHost } from "./claim-host.ts";
import { presentOwnSession } from "./present.ts";
import { accountsThatMaySignIn, requireAnotherAdmin } from "./rules.ts";
import type { SecondFactorCheck } from "../second-factor/check.ts";
import type { SessionStarts } from "./session-starts.ts";
import type { SignUp } from "./sign-up.ts";
import { refuseWeakPassword } from "./weak-passwords.ts";
import type { PeopleStore } from "./store/people.ts";

type AccountParts = {
  people: PeopleStore;
  sessions: Sessions;
  signUp: SignUp;
  reset: PasswordReset;
  /** Limits the requests without a session, by network. */
  requests: SharedRateLimit;
  /** Counts attempts with a password, by account and network. */
  passwords: Attempts;
  /** Counts sign-ups without an invitation whose address has an account already, by network. */
  addresses: Attempts;
  /** Counts wrong passwords, by account over all networks. */
  guesses: Guesses;
  reportGuesses: () => void;
  claimHosts: ReadonlySet<string>;
  secondFactor: Pick<SecondFactorCheck, "ofSignIn">;
  starts: SessionStarts;
};

export function accountRoutes(parts: AccountParts): Routes<"accounts"> {
  const { people, sessions, signUp, reset, passwords, addresses, guesses, secondFactor } = parts;
  const requirePassword = passwordRequired(sessions, passwords);
  const admit = ({ http }: { http: Context }) => countRequestOf(parts.requests, http);

  const { presentSession, startSession } = parts.starts;

  /**
   * Throws when the identity provider of one organization started the session and the person belongs to other organizations too. Such a
   * session must not change an account on which other organizations rely too.
   */
  async function requireWholeAccount(http: Context, userId: string): Promise<void> {
    const session = await sessions.sessionOf(http.headers);
    if (session === undefined || session.startedBy === null) return;
    if ((await people.organizationsOf(userId)).length > 1) throw startedByOne();
  }

  async function accountAt(email: string, password: string): Promise<string | undefined> {
    const accounts = accountsThatMaySignIn(await people.accountsAt(email));
    // An address without an account gets a password check too, so that its answer takes as long as the answer to a wrong password.
    const signInNames = accounts.length === 0 ? [email] : accounts.map(({ signInName }) => signInName);
    for (const signInName of signInNames) {
      const userId = await sessions.userOf({ signInName, password });
      if (userId !== undefined) return userId;
    }
    return undefined;
  }

  /**
   * The error for a taken address reveals that the address has an account. A network that gets this error often
   * therefore has to wait, even with another address.
   */
  async function asStranger<T>(network: string, signingUp: () => Promise<T>): Promise<T> {
    await addresses.check(network);
    return signingUp().catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === "conflict") await addresses.begin(network);
      throw error;
    });
  }

  return {
    accounts: {
      signUp: {
        admit,
        handle: async ({ body, http, audit }) => {
          if (!(await people.isClaimed())) requireClaimHost(http.headers.host, parts.claimHosts);
          const { invitation_token: invitationToken, separate_account: separateAccount, ...person } = body;
          const userAgent = http.headers["user-agent"];
          const signingUp = () => signUp({ ...person, invitationToken, separateAccount, userAgent });
          const signedIn =
            invitationToken === undefined ? await asStranger(blockOf(http.ip), signingUp) : await signingUp();
          return startSession({ http, audit }, signedIn);
        },
      },

      signIn: {
        admit,
        handle: async ({ body: { email, password, organization_id, ...shown }, http, audit }) => {
          const network = blockOf(http.ip);
          const subject = `${email} ${network}`;
          await passwords.begin(subject);
          await guesses.begin(email, network);
          const userId = await accountAt(email, password);
          if (userId === undefined) {
            audit.accountsAt(() => people.accountsAt(email));
            if (await guesses.fail(email)) parts.reportGuesses();
            throw new AppError(
              "not_authenticated",
              "The address or the password is wrong. Check both and sign in again.",
            );
          }
          await secondFactor.ofSignIn(http, userId, shown).catch((error: unknown) => {
            audit.accountsAt(() => Promise.resolve([{ userId }]));
            throw error;
          });
          await passwords.succeed(subject);
          await guesses.succeed(email, network);
          return startSession(
            { http, audit },
            await sessions.start(userId, http.headers["user-agent"]),
            organization_id,
          );
        },
      },

      signOut: async ({ http, audit }) => {
        if (http.headers.cookie === undefined) return;
        requireSameOrigin(http.headers.origin, ownOrigin(http), sessions.origins);
        const caller = await sessions.callerOf(http.headers);
        if (caller) await audit.concerns(caller);
        http.set("Set-Cookie", await sessions.signOut(http.headers));
      },

      session: async ({ caller, http }) => {
        return presentSession(caller, await sessions.sessionOf(http.headers));
      },

      switchOrganization: async ({ caller, body: { organization_id }, http, audit }) => {
        const session = await sessions.sessionOf(http.headers);
        if (!session) throw notFound();
        await parts.starts.requireOpen(caller.userId, session.startedBy, organization_id);
        await audit.concerns({ userId: caller.userId, sessionId: session.id, organizationId: organization_id });
        await sessions.enter(session.id, organization_id);
        return presentSession({ userId: caller.userId, organizationId: organization_id }, session);
      },

      listSessions: async ({ caller, http }) => {
        await requireWholeAccount(http, caller.userId);
        const current = await sessions.sessionOf(http.headers);
        const all = await sessions.list(caller.userId);
        return { sessions: all.map((session) => presentOwnSession(session, session.id === current?.id)) };
      },

      revokeSession: async ({ caller: { userId, sessionId }, body, http, audit }) => {
        await requireWholeAccount(http, userId);
        await audit.concerns({ userId, sessionId });
        if (!(await sessions.end(userId, body.session_id))) throw notFound();
      },

      revokeSessions: async ({ caller: { userId, sessionId }, body, http, audit }) => {
        await requireWholeAccount(http, userId);
        await audit.concerns({ userId, sessionId });
        const { revokedKeys } = await reset.signOutEverywhere(userId, { keys: body.revoke_keys });
        return { revoked_keys: revokedKeys };
      },

      editUser: async ({ caller, body, http, audit }) => {
        await requireWholeAccount(http, caller.userId);
        await audit.concerns({ userId: caller.userId, sessionId: caller.sessionId });
        await people.rename(caller.userId, body.name);
        return presentSession(caller, await sessions.sessionOf(http.headers));
      },

      changePassword: async ({ caller, body, http, audit }) => {
        await requirePassword({ caller, http, audit }, body.current_password);
        const person = (await people.find(caller.userId))!;
        refuseWeakPassword({ member: "new_password", password: body.new_password }, person);
        const own = await sessions.sessionOf(http.headers);
        const { revokedKeys } = await reset.change(caller.userId, body.new_password, {
          sessionsExcept: body.revoke_other_sessions ? own?.id : undefined,
          keys: body.revoke_keys,
        });
        if (own) {
          const signInName = await people.signInNameOf(caller.userId);
          const credential = { signInName, password: body.new_password };
          const cookies = await sessions.renew(own.id, credential, http.headers["user-agent"]);
          if (cookies.length > 0) http.set("Set-Cookie", cookies);
        }
        const live = await sessions.list(caller.userId);
        return { other_sessions: Math.max(0, live.length - 1), revoked_keys: revokedKeys };
      },

      requestPasswordReset: { admit, handle: ({ body, audit }) => reset.request(body.email, audit) },

      resetPassword: {
        admit,
        handle: async ({ body, audit }) => {
          const { revokedKeys } = await reset.use(body.token, body.new_password, { keys: body.revoke_keys }, audit);
          return { revoked_keys: revokedKeys };
        },
      },

      leaveOrganization: ({ caller }) => people.removeMember(caller.organizationId, caller.userId, requireAnotherAdmin),

      deleteUser: async ({ caller, body, http, audit }) => {
        await requirePassword({ caller, http, audit }, body.password);
        await people.deletePerson(caller.userId, requireAnotherAdmin);
      },
    },
  };
}

/** A request of a signed-in person for which the handler itself writes the line of the audit. */
type OwnRequest = { caller: Caller; http: Context; audit: AccountAudit };

/**
 * Returns a function that counts an attempt and throws when the password of the caller is wrong. Writes a line about the request in
 * the audit of each organization of the caller.
 */
export const passwordRequired =
  (sessions: Pick<Sessions, "isPassword">, passwords: Attempts) =>
  async ({ caller: { userId, sessionId }, http, audit }: OwnRequest, password: string): Promise<void> => {
    const subject = `${userId} ${blockOf(http.ip)}`;
    await passwords.begin(subject);
    await audit.concerns({ userId, sessionId });
    if (!(await sessions.isPassword(userId, password)))
      throw new AppError("not_permitted", "The current password is wrong. Check it and try again.");
    await passwords.succeed(subject);
  };

export async function countRequestOf(requests: SharedRateLimit, http: Context): Promise<void> {
  const window = await requests.count(blockOf(http.ip));
  if (window.exceeded)
    throw tooManyRequests(window, `Too many attempts from this address. Wait ${window.resetSeconds} s.`);
}

const startedByOne = () =>
  new AppError(
    "not_permitted",
    "The single sign-on of one organization opened this session, and you belong to others too. Sign in with your password to do this.",
  );
