import type { IncomingHttpHeaders } from "node:http";
import { betterAuth } from "better-auth";
import { LIMITS, type Role } from "@svc/contract";
import { newId } from "../ids.ts";
import type { Relational } from "../stores/relational.ts";
import type { Caller } from "./caller.ts";

const SESSION_SECONDS = 30 * 24 * 3600;

export type SignedIn = { userId: string; expiresAt: Date; setCookies: string[] };
export type Sessions = ReturnType<typeof openSessions>;

/** Passwords and session cookies, by the sign-in library; nothing else knows that library. */
export function openSessions({ engine, db }: Relational, options: { secret: string; baseUrl: string }) {
  const auth = betterAuth({
    // By our own access and without transactions of its own: one that waits for a password's hash would hold all others' writes.
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
    /** Origins whose pages may use a session. */
    origins: new Set([new URL(options.baseUrl).origin]),

    async callerOf(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
      const found = await read(headers);
      const member = found && membership.get(found.user.id);
      if (!member) return undefined;
      return { via: "session", userId: found.user.id, keyId: null, projectId: null, project: null, ...member };
    },

    async expiryOf(headers: IncomingHttpHeaders): Promise<Date | undefined> {
      return (await read(headers))?.session.expiresAt;
    },

    /** Makes the user and signs them in; undefined when the address is taken. */
    async signUp(person: { name: string; email: string; password: string }): Promise<SignedIn | undefined> {
      const made = await answered(auth.api.signUpEmail({ body: person, returnHeaders: true }), 422);
      return made && signedIn(made.response, made.headers);
    },

    /** Undefined when the address or the password is wrong. */
    async signIn(credential: { email: string; password: string }): Promise<SignedIn | undefined> {
      const made = await answered(auth.api.signInEmail({ body: credential, returnHeaders: true }), 401);
      return made && signedIn(made.response, made.headers);
    },

    async signOut(headers: IncomingHttpHeaders): Promise<string[]> {
      const done = await auth.api.signOut({
        headers: new Headers({ cookie: headers.cookie ?? "" }),
        returnHeaders: true,
      });
      return done.headers.getSetCookie();
    },

    /** Removes a user who belongs to no organization, with their sign-ins and sessions. */
    async removeUser(userId: string): Promise<void> {
      await db.deleteFrom("users").where("id", "=", userId).execute();
    },
  };
}

const TIMES = { createdAt: "created_at", updatedAt: "updated_at" };

/** The library's refusal with the one expected status becomes undefined; anything else is a fault. */
async function answered<T>(call: Promise<T>, refusedStatus: number): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === refusedStatus) return undefined;
    throw error;
  }
}
