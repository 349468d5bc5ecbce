import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { email, shownEmail, textUpTo } from "../core/texts.ts";

/** A user's role: viewers read and manage their own keys, members also write, admins also manage the organization. */
export const Role = z.enum(["admin", "member", "viewer"]).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** A person who can sign in. */
export const User = z.strictObject({ id: id("usr"), name: z.string(), email: shownEmail }).meta({ id: "User" });

/** The signed-in user, with the organization, the role and the end of the session. */
export const Session = z
  .strictObject({
    user: User,
    organization: z.strictObject({ id: id("org"), name: z.string() }),
    role: Role,
    expiresAt: timestamp(),
  })
  .meta({ id: "Session" });

const password = z
  .string()
  .min(LIMITS.passwordCharactersMin)
  .max(LIMITS.passwordCharactersMax)
  .meta({
    description: `${LIMITS.passwordCharactersMin} to ${LIMITS.passwordCharactersMax} characters.`,
    override: { format: "password" },
  });

const common = { tag: "Accounts", credential: "public", scope: "none" } as const;

/** Sign-up, sign-in and sign-out. */
export const accounts = {
  /**
   * Creates a user and signs them in with a session cookie. The first user claims the instance and becomes the admin of its
   * first organization and project. Later users send the token of an invitation, unless the instance allows open sign-up.
   */
  signUp: operation({
    ...common,
    method: "POST",
    path: "/api/auth/sign-up/email",
    summary: "Sign up",
    description:
      "Creates a user and sets the session cookie. The first user claims the instance and becomes its admin. Later users send an `invitation_token`, unless the instance allows open sign-up.",
    body: z.strictObject({
      name: textUpTo(LIMITS.nameCharacters),
      email,
      password,
      invitation_token: z.string().min(1).optional(),
    }),
    status: 201,
    answer: Session,
    errors: ["not_permitted", "conflict", "too_many_requests"],
  }),

  /** Signs a user in and sets the session cookie. */
  signIn: operation({
    ...common,
    method: "POST",
    path: "/api/auth/sign-in/email",
    summary: "Sign in",
    body: z.strictObject({ email, password: z.string().min(1).max(LIMITS.passwordCharactersMax) }),
    status: 200,
    answer: Session,
    errors: ["not_authenticated", "too_many_requests"],
  }),

  /** Ends the session and clears its cookie. Returns 204 even without a session. */
  signOut: operation({
    ...common,
    method: "POST",
    path: "/api/auth/sign-out",
    summary: "Sign out",
    status: 204,
    errors: ["not_permitted"],
  }),

  /** Returns the user, organization and role of the session cookie. */
  session: operation({
    method: "GET",
    path: "/api/auth/get-session",
    summary: "Show the session",
    tag: "Accounts",
    credential: "session",
    permission: "read",
    scope: "organization",
    status: 200,
    answer: Session,
  }),
};
