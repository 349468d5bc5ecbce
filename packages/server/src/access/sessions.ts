import type { IncomingHttpHeaders } from "node:http";
import { betterAuth } from "better-auth";
import { LIMITS, type Role } from "@svc/contract";
import { AppError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";

const SESSION_SECONDS = 30 * 24 * 3600;

export type SignedIn = { userId: string; expiresAt: Date; setCookies: string[] };
/** Sign-up, sign-in and session cookies of people. */
export type Sessions = {
  /** Origins of the pages that may use a session. */
  origins: ReadonlySet<string>;
  /** Returns the caller of a request's session; undefined without a valid session or without an organization. */
  callerOf: (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;
  /** Returns when the request's session expires. */
  expiryOf: (headers: IncomingHttpHeaders) => Promise<Date | undefined>;
  /** Creates the user and signs them in; returns undefined when the address is taken. */
  signUp: (person: { name: string; email: string; password: string }) => Promise<SignedIn | undefined>;
  /** Returns undefined when the address or the password is wrong. */
  signIn: (credential: { email: string; password: string }) => Promise<SignedIn | undefined>;
  /** Ends the request's session and returns the cookies that clear it. */
  signOut: (headers: IncomingHttpHeaders) => Promise<string[]>;
  /** Deletes a user without an organization, with their sign-ins and sessions. */
  removeUser: (userId: string) => Promise<void>;
};

/** Creates the sessions on the sign-in library, which no other file imports. */
export function createSessions({ engine, db }: Relational, options: { secret: string; baseUrl: string }): Sessions {
  const auth = betterAuth({
    // Shares our Kysely instance without transactions: hashing a password inside one would block all writers.
    database: { db, type: "sqlite", transaction: false },
    secret: options.secret,
    baseURL: options.baseUrl,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: LIMITS.passwordCharactersMin,
      maxPasswordLength: LIMITS.passwordCharactersMax,
    },
    advanced: { cookiePrefix: "svc", database: { generateId: () => newId("usr") } },
    user: { modelName: "users", fields: { emailVerified: "email_verified", ...TIMES } },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      fields: {
        userId: "user_id",
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

  const membership = engine.prepare<[string], { organizationId: string; role: Role }>(
    "SELECT organization_id AS organizationId, role FROM memberships WHERE user_id = ?",
  );

  const expiry = engine.prepare<[string], { expires_at: string }>("SELECT expires_at FROM sessions WHERE token = ?");

  const signedIn = ({ token, user }: { token: string | null; user: { id: string } }, headers: Headers): SignedIn => ({
    userId: user.id,
    expiresAt: new Date(expiry.get(token!)!.expires_at),
    setCookies: headers.getSetCookie(),
  });

  async function read(headers: IncomingHttpHeaders) {
    return auth.api.getSession({ headers: new Headers({ cookie: headers.cookie ?? "" }) });
  }

  return {
    origins: new Set([new URL(options.baseUrl).origin]),

    async callerOf(headers) {
      const session = await read(headers);
      const member = session && membership.get(session.user.id);
      if (!member) return undefined;
      return { via: "session", userId: session.user.id, keyId: null, projectId: null, project: null, ...member };
    },

    async expiryOf(headers) {
      return (await read(headers))?.session.expiresAt;
    },

    async signUp(person) {
      const created = await orUndefined(auth.api.signUpEmail({ body: person, returnHeaders: true }), ADDRESS_TAKEN);
      return created && signedIn(created.response, created.headers);
    },

    async signIn(credential) {
      const created = await orUndefined(
        auth.api.signInEmail({ body: credential, returnHeaders: true }),
        WRONG_CREDENTIAL,
      );
      return created && signedIn(created.response, created.headers);
    },

    async signOut(headers) {
      const done = await auth.api.signOut({
        headers: new Headers({ cookie: headers.cookie ?? "" }),
        returnHeaders: true,
      });
      return done.headers.getSetCookie();
    },

    async removeUser(userId) {
      await db.deleteFrom("users").where("id", "=", userId).execute();
    },
  };
}

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" };

const ADDRESS_TAKEN = "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL";
const WRONG_CREDENTIAL = "INVALID_EMAIL_OR_PASSWORD";
/** The library's error for every failed write of a new person. */
const NOT_WRITTEN = "FAILED_TO_CREATE_USER";

/** Returns undefined for the one expected refusal; throws every other error. */
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
