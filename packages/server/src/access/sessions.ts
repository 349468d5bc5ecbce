import type { IncomingHttpHeaders } from "node:http";
import { betterAuth } from "better-auth";
import { LIMITS, ORGANIZATION_HEADER } from "@svc/contract";
import { AppError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { sha256 } from "../base/secrets/secrets.ts";
import type { Db, Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";
import { type PasswordHash, queued } from "./password-hash.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import { membershipOf } from "./session-reach.ts";
import { sessionStart } from "./session-start.ts";
import { storeWithHashedTokens } from "./token-hashes.ts";

const SESSION_SECONDS = 30 * 24 * 3600;

export type SignedIn = {
  userId: string;
  sessionId: string;
  expiresAt: Date;
  /** Id of the organization whose identity provider started the session; null when a password started it. */
  startedBy: string | null;
  setCookies: string[];
};

type SessionRow = { id: string; user_agent: string | null; created_at: string; expires_at: string };

export type Sessions = Passwords & {
  /** Origins whose pages may use a session, besides the origin to which the request was sent. */
  origins: ReadonlySet<string>;
  /**
   * Returns the caller of the request's session, in the organization that a header names, else in the session's own. Returns undefined
   * without a valid session, or when the session may not act in that organization.
   */
  callerOf: (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;
  sessionOf: (
    headers: IncomingHttpHeaders,
  ) => Promise<{ id: string; expiresAt: Date; startedBy: string | null } | undefined>;
  /** Returns undefined when the sign-in name is taken. */
  signUp: (
    person: { name: string; signInName: string; address: string; password: string },
    userAgent: string | undefined,
  ) => Promise<SignedIn | undefined>;
  /** Starts a session of a user who has proved their identity: with a password, or at the provider of the organization `startedBy`. */
  start: (userId: string, userAgent: string | undefined, startedBy?: string | null) => Promise<SignedIn>;
  /** Creates a user and returns the user's id. Throws when the address is already a sign-in name. */
  addUser: (tx: Db, person: { name: string; address: string }) => Promise<string>;
  /**
   * Replaces a session with a new one in the same organization, and returns the new cookies. Returns no cookies, and changes nothing,
   * when the password is wrong or when too many people sign in at this moment.
   */
  renew: (
    sessionId: string,
    credential: { signInName: string; password: string },
    userAgent?: string,
  ) => Promise<string[]>;
  enter: (sessionId: string, organizationId: string) => Promise<void>;
  /** Ends the request's session and returns the cookies that clear it. */
  signOut: (headers: IncomingHttpHeaders) => Promise<string[]>;
  /** Returns the user's sessions that have not expired, newest first. */
  list: (userId: string) => Promise<SessionRow[]>;
  end: (userId: string, sessionId: string) => Promise<boolean>;
  endAllIn: (tx: Db, userId: string, except?: string) => Promise<void>;
  endIn: (tx: Db, userId: string, organizationId: string) => Promise<void>;
  endStartedBy: (tx: Db, organizationId: string) => Promise<void>;
  /** Deletes a user who belongs to no organization, with their sign-ins and sessions. */
  removeUser: (userId: string) => Promise<void>;
};

type SessionOptions = { secret: string; baseUrl: string; passwordHash: PasswordHash };

/** Creates the sessions of people. Only the files of this folder import the sign-in library. */
export function createSessions({ db, reachable }: Relational, options: SessionOptions): Sessions {
  const password = queued(options.passwordHash);
  const passwords = createPasswords(db, password);
  const auth = betterAuth({
    database: storeWithHashedTokens(db),
    secret: options.secret,
    baseURL: options.baseUrl,
    telemetry: { enabled: false },
    // The library's own tracing is off, because it would write error messages into spans.
    experimental: { instrumentation: { enabled: false } },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    plugins: [sessionStart],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: LIMITS.passwordCharactersMin,
      maxPasswordLength: LIMITS.passwordCharactersMax,
      password,
    },
    advanced: {
      cookiePrefix: "svc",
      database: { generateId: ({ model }) => newId(model === "session" ? "ses" : "usr") },
    },
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", ...TIMES },
      additionalFields: { address: { type: "string", required: true } },
    },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      fields: {
        userId: "user_id",
        token: "token_sha256",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...TIMES,
      },
    },
    account: {
      modelName: "sign_ins",
      fields: {
        accountId: "account_id",
        providerId: "provider_id",
        userId: "user_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...TIMES,
      },
    },
    verification: { modelName: "verifications", fields: { expiresAt: "expires_at", ...TIMES } },
  });

  async function signedIn(
    { token, user }: { token: string | null; user: { id: string } },
    headers: Headers,
  ): Promise<SignedIn> {
    const session = await db
      .selectFrom("sessions")
      .select(["id", "expires_at"])
      .where("token_sha256", "=", sha256(token!))
      .executeTakeFirstOrThrow(endedAtStart);
    return {
      userId: user.id,
      sessionId: session.id,
      expiresAt: new Date(session.expires_at),
      startedBy: null,
      setCookies: headers.getSetCookie(),
    };
  }

  const read = (headers: IncomingHttpHeaders) =>
    auth.api.getSession({ headers: new Headers({ cookie: headers.cookie ?? "" }) }).catch(refuseWithoutStore);

  /**
   * Throws `unavailable` when the store does not answer, else the library's error. The library's error does not name the store as the
   * cause.
   */
  async function refuseWithoutStore(error: unknown): Promise<never> {
    if (await reachable()) throw error;
    throw new AppError("unavailable", "The store of the sessions does not answer. Try again shortly.");
  }

  const start: Sessions["start"] = async (userId, userAgent, startedBy = null) => {
    const started = auth.api.startSession({
      body: { userId },
      headers: userAgentHeader(userAgent),
      returnHeaders: true,
    });
    const { response, headers } = await started.catch(refuseWithoutStore);
    const session = await signedIn(response, headers);
    if (startedBy === null) return session;
    // The client has not received the cookie yet, so nobody can use the session before this update.
    await db
      .updateTable("sessions")
      .set({ sso_organization_id: startedBy })
      .where("id", "=", session.sessionId)
      .execute();
    return { ...session, startedBy };
  };

  return {
    origins: new Set([new URL(options.baseUrl).origin]),

    async callerOf(headers) {
      const session = await read(headers);
      if (!session) return undefined;
      const named = headers[ORGANIZATION_HEADER.toLowerCase()];
      const member = await membershipOf(db, session.session.id, typeof named === "string" ? named : undefined);
      if (!member) return undefined;
      return { ...OF_SESSION, sessionId: session.session.id, userId: session.user.id, ...member };
    },

    async sessionOf(headers) {
      const session = (await read(headers))?.session;
      if (!session) return undefined;
      const { id, expiresAt } = session;
      const row = await db.selectFrom("sessions").select("sso_organization_id").where("id", "=", id).executeTakeFirst();
      return row && { id, expiresAt, startedBy: row.sso_organization_id };
    },

    async signUp({ signInName, ...person }, userAgent) {
      const created = await orUndefined(
        auth.api.signUpEmail({
          body: { ...person, email: signInName },
          headers: userAgentHeader(userAgent),
          returnHeaders: true,
        }),
        ADDRESS_TAKEN,
      ).catch(refuseWithoutStore);
      return created && signedIn(created.response, created.headers);
    },

    ...passwords,
    start,

    async renew(sessionId, credential, userAgent) {
      const former = await db
        .selectFrom("sessions")
        .select(["organization_id", "sso_organization_id"])
        .where("id", "=", sessionId)
        .executeTakeFirst();
      const userId = former && (await passwords.userOf(credential).catch(refusedForNow));
      if (former === undefined || userId === undefined) return [];
      const renewed = await start(userId, userAgent);
      await db.updateTable("sessions").set(former).where("id", "=", renewed.sessionId).execute();
      await db.deleteFrom("sessions").where("id", "=", sessionId).execute();
      return renewed.setCookies;
    },

    async enter(sessionId, organization_id) {
      await db.updateTable("sessions").set({ organization_id }).where("id", "=", sessionId).execute();
    },

    async signOut(headers) {
      const signedOut = auth.api.signOut({
        headers: new Headers({ cookie: headers.cookie ?? "" }),
        returnHeaders: true,
      });
      const done = await signedOut.catch(refuseWithoutStore);
      return done.headers.getSetCookie();
    },

    list: (userId) =>
      db
        .selectFrom("sessions")
        .select(["id", "user_agent", "created_at", "expires_at"])
        .where("user_id", "=", userId)
        .where("expires_at", ">", new Date().toISOString())
        .orderBy("created_at", "desc")
        .execute(),

    async end(userId, sessionId) {
      const ended = await db
        .deleteFrom("sessions")
        .where("user_id", "=", userId)
        .where("id", "=", sessionId)
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    },

    async endAllIn(tx, userId, except = "") {
      await tx.deleteFrom("sessions").where("user_id", "=", userId).where("id", "!=", except).execute();
    },

    async endIn(tx, userId, organizationId) {
      await tx
        .deleteFrom("sessions")
        .where("user_id", "=", userId)
        .where("organization_id", "=", organizationId)
        .execute();
    },

    async endStartedBy(tx, organizationId) {
      await tx.deleteFrom("sessions").where("sso_organization_id", "=", organizationId).execute();
    },

    async addUser(tx, { name, address }) {
      const id = newId("usr");
      const now = new Date().toISOString();
      const times = { created_at: now, updated_at: now };
      const added = await tx
        .insertInto("users")
        .values({ id, name, email: address, email_verified: 0, address, ...times })
        .onConflict((conflict) => conflict.column("email").doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows !== 1n)
        throw new AppError("conflict", "Somebody signs up with this address at this moment. Sign in again.");
      const signIn = { id: newId("usr"), account_id: id, user_id: id, provider_id: "credential", password: null };
      await tx
        .insertInto("sign_ins")
        .values({ ...signIn, ...times })
        .execute();
      return id;
    },

    async removeUser(userId) {
      await db.deleteFrom("users").where("id", "=", userId).execute();
    },
  };
}

function refusedForNow(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

const OF_SESSION = {
  via: "session",
  keyId: null,
  permissions: null,
  keyExpiresAt: null,
  projectId: null,
  project: null,
} as const;

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" };

const USER_AGENT_CHARACTERS = 200;
const userAgentHeader = (userAgent = "") => new Headers({ "user-agent": userAgent.slice(0, USER_AGENT_CHARACTERS) });

const ADDRESS_TAKEN = "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL";
/** Error code that the library uses for every failed write of a new user. */
const NOT_WRITTEN = "FAILED_TO_CREATE_USER";

async function orUndefined<T>(call: Promise<T>, refusal: string): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const { code } = ((error as { body?: unknown }).body ?? {}) as { code?: unknown };
    if (code === refusal) return undefined;
    if (code === NOT_WRITTEN) throw new AppError("unavailable", "The account could not be written. Try again shortly.");
    throw error;
  }
}

const endedAtStart = () =>
  new AppError("not_authenticated", "All sessions of this account were ended at this moment. Sign in again.");
