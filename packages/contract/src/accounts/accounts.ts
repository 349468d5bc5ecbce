import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { email, nameText, shownEmail } from "../core/texts.ts";
import { shownFactor } from "./second-factor.ts";

/**
 * Role of a user in an organization. Viewers read, and manage the API keys that they created. Members also play tests, change
 * resources and send spans. Admins also manage the organization.
 */
export const Role = z.enum(["admin", "member", "viewer"]).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** Person who can sign in. */
export const User = z.strictObject({ id: id("usr"), name: z.string(), email: shownEmail }).meta({ id: "User" });

/** Organization that the user belongs to, with the user's role in it. */
export const OwnOrganization = z
  .strictObject({ id: id("org"), name: z.string(), role: Role })
  .meta({ id: "OwnOrganization" });

/**
 * Session of the signed-in user: the organization that it acts in, the user's role there, all organizations of the user, and
 * the time at which the session ends.
 */
export const Session = z
  .strictObject({
    user: User,
    organization: z
      .strictObject({ id: id("org"), name: z.string() })
      .meta({ description: "The organization that the session acts in." }),
    role: Role.meta({ description: "The user's role in this organization." }),
    organizations: z.array(OwnOrganization).meta({ description: "All organizations of the user, oldest first." }),
    expiresAt: timestamp(),
  })
  .meta({ id: "Session" });

/** Entry in the list of the signed-in user's sessions. */
export const OwnSession = z
  .strictObject({
    id: z.string(),
    current: z.boolean().meta({ description: "Whether the request uses this session." }),
    user_agent: z.string().nullable().meta({ description: "The `User-Agent` of the sign-in." }),
    created_at: timestamp(),
    expires_at: timestamp(),
  })
  .meta({ id: "OwnSession" });

/** Request header with an organization's id. A request with a session acts in that organization instead of the session's own. */
export const ORGANIZATION_HEADER = "Svc-Organization";

const newPassword = z
  .string()
  .min(LIMITS.passwordCharactersMin)
  .max(LIMITS.passwordCharactersMax)
  .meta({
    description: `${LIMITS.passwordCharactersMin} to ${LIMITS.passwordCharactersMax} characters. Common passwords, and the person's own address and name, are refused.`,
    override: { format: "password" },
  });

const password = z.string().min(1).max(LIMITS.passwordCharactersMax);
const token = z.string().min(1).max(200);

/** Body member of requests that end sessions. `true` also revokes the person's API keys; the default is `false`. */
export const revokeKeys = z.boolean().optional().meta({
  description:
    "`true` also revokes all API keys that the person created, in all organizations of the person. A worker with one of these keys can no longer send conversations.",
});
const revoked_keys = count("Number of the person's API keys that this request revoked.");

const isPublic = { tag: "Accounts", credential: "public", scope: "none" } as const;
const own = { tag: "Accounts", credential: "session", permission: "read", scope: "organization" } as const;

/** Sign-up, sign-in, sessions and passwords. */
export const accounts = {
  /**
   * Creates a user and sets a session cookie. The first user of an instance becomes the admin of its first organization, which
   * starts with one project. Later users send the token of an invitation, unless the instance allows open sign-up.
   */
  signUp: operation({
    ...isPublic,
    method: "POST",
    path: "/api/auth/sign-up/email",
    audit: "account",
    summary: "Sign up",
    description:
      "Creates a user and sets the session cookie. The first user becomes the admin of the instance's first organization; this first sign-up is possible only at localhost or at the configured address of the service. Later users send an `invitation_token`, unless the instance allows open sign-up.",
    body: z.strictObject({
      name: nameText(),
      email,
      password: newPassword,
      invitation_token: token.optional(),
      separate_account: z.boolean().optional().meta({
        description:
          "With an invitation: `true` creates a second account although an account with this e-mail address exists. The existing account keeps its password, its organizations and its API keys. At sign-in, the password decides which of the accounts is used. When a sign-up is refused only because this member is missing, `details.missing` of the error is `separate_account`.",
      }),
    }),
    status: 201,
    answer: Session,
    errors: ["not_permitted", "conflict", "too_many_requests"],
  }),

  /** Signs a user in and sets the session cookie. */
  signIn: operation({
    ...isPublic,
    method: "POST",
    path: "/api/auth/sign-in/email",
    audit: "account",
    summary: "Sign in",
    description:
      "Sets the session cookie. The session acts in the organization that the request names. Without a name, it acts in the user's oldest organization that allows this sign-in. After several wrong passwords from one network, the required wait before the next attempt grows. A sign-in to an account with a second factor also needs a `code`, a `recovery_code` or a `passkey`; when the second factor is missing or wrong, `details.missing` of the error is `code`. When the organization requires single sign-on, `details.missing` is `single_sign_on`, and `details.organization_id` is the organization.",
    body: z.strictObject({
      email,
      password,
      ...shownFactor,
      organization_id: idInput("org").optional(),
    }),
    status: 200,
    answer: Session,
    errors: ["not_authenticated", "not_permitted", "not_found", "conflict", "too_many_requests"],
  }),

  /** Ends the session and clears its cookie. Returns 204 even without a session. */
  signOut: operation({
    ...isPublic,
    method: "POST",
    path: "/api/auth/sign-out",
    audit: "account",
    summary: "Sign out",
    status: 204,
    errors: ["not_permitted"],
  }),

  /** Returns the user of the session cookie, the organization that the session acts in, and all organizations of the user. */
  session: operation({
    ...own,
    method: "GET",
    path: "/api/auth/get-session",
    summary: "Show the session",
    description: `A session acts in one organization at a time. The header \`${ORGANIZATION_HEADER}\` selects another organization of the user for a single request.`,
    status: 200,
    answer: Session,
  }),

  /** Makes the session act in another organization of the user from the next request on. */
  switchOrganization: operation({
    ...own,
    method: "POST",
    path: "/api/auth/organization",
    audit: "account",
    summary: "Switch the session's organization",
    body: z.strictObject({ organization_id: idInput("org") }),
    status: 200,
    answer: Session,
    errors: ["not_found"],
  }),

  /** Lists the user's sessions, newest first. */
  listSessions: operation({
    ...own,
    method: "GET",
    path: "/api/auth/list-sessions",
    summary: "List the user's sessions",
    status: 200,
    answer: z.strictObject({ sessions: z.array(OwnSession) }),
  }),

  /** Ends one session of the user. */
  revokeSession: operation({
    ...own,
    method: "POST",
    path: "/api/auth/revoke-session",
    audit: "account",
    summary: "End a session of the user",
    body: z.strictObject({ session_id: z.string().min(1) }),
    status: 204,
    errors: ["not_found"],
  }),

  /** Ends all sessions of the user, including the session of the request. With `revoke_keys`, also revokes the user's API keys. */
  revokeSessions: operation({
    ...own,
    method: "POST",
    path: "/api/auth/revoke-sessions",
    audit: "account",
    summary: "Sign out everywhere",
    description:
      "Ends all sessions of the user, including the session of the request. API keys keep working unless `revoke_keys` is true.",
    body: z.strictObject({ revoke_keys: revokeKeys }),
    status: 200,
    answer: z.strictObject({ revoked_keys }),
  }),

  /** Changes the user's name in all organizations of the user. */
  editUser: operation({
    ...own,
    method: "POST",
    path: "/api/auth/update-user",
    audit: "account",
    summary: "Change the name of the account",
    description: "The new name applies in all organizations of the user.",
    body: z.strictObject({ name: nameText() }),
    status: 200,
    answer: Session,
  }),

  /**
   * Changes the user's password. Requires the current password. Replaces the session of the request by a new session with a new
   * cookie. `revoke_other_sessions` also ends the user's other sessions; `revoke_keys` also revokes the user's API keys.
   */
  changePassword: operation({
    ...own,
    method: "POST",
    path: "/api/auth/change-password",
    audit: "account",
    summary: "Change the password",
    description:
      "Sets a new session cookie; the cookie of the request becomes invalid. The user's other sessions continue unless `revoke_other_sessions` is true. The user's API keys keep working unless `revoke_keys` is true.",
    body: z.strictObject({
      current_password: password,
      new_password: newPassword,
      revoke_other_sessions: z.boolean().optional(),
      revoke_keys: revokeKeys,
    }),
    status: 200,
    answer: z.strictObject({
      other_sessions: count("Number of the user's other sessions that continue."),
      revoked_keys,
    }),
  }),

  /**
   * Sends a one-time token for a new password by mail, if the address has an account. The answer is the same without an account. An
   * instance that cannot send mail answers 409 `conflict`. On such an instance, an admin creates the token with
   * `members.resetPassword`.
   */
  requestPasswordReset: operation({
    ...isPublic,
    method: "POST",
    path: "/api/auth/request-password-reset",
    audit: "account",
    summary: "Ask for a password reset by mail",
    description:
      "Sends a one-time token, valid for one hour, to the address if the address has an account. The answer is the same when it has no account. An instance that cannot send mail answers 409 `conflict`; an admin creates a token instead.",
    body: z.strictObject({ email }),
    status: 204,
    errors: ["conflict", "too_many_requests"],
  }),

  /** Sets a new password with a one-time token, and ends all sessions of the user. With `revoke_keys`, also revokes the API keys. */
  resetPassword: operation({
    ...isPublic,
    method: "POST",
    path: "/api/auth/reset-password",
    audit: "account",
    summary: "Set a new password with a token",
    description:
      "Ends all sessions of the user. API keys keep working unless `revoke_keys` is true. A token that was sent by mail also confirms the user's e-mail address.",
    body: z.strictObject({ token, new_password: newPassword, revoke_keys: revokeKeys }),
    status: 200,
    answer: z.strictObject({ revoked_keys }),
    errors: ["not_permitted", "too_many_requests"],
  }),

  /**
   * Removes the user from the organization that the session acts in. Revokes the user's API keys of that organization and ends
   * the sessions that act in it. Answers 409 `conflict` to the organization's last admin. Deletes a user who has no other
   * organization.
   */
  leaveOrganization: operation({
    ...own,
    method: "POST",
    path: "/v1/account/leave-organization",
    audit: "change",
    summary: "Leave the session's organization",
    description:
      "Revokes the user's API keys of this organization, and ends the sessions that act in it. Refuses the organization's last admin. Deletes the account of a user who has no other organization.",
    status: 204,
    errors: ["conflict"],
  }),

  /**
   * Deletes the user's account and sessions, and revokes the user's API keys. Requires the password. Answers 409 `conflict` to
   * the last admin of an organization.
   */
  deleteUser: operation({
    ...own,
    method: "POST",
    path: "/api/auth/delete-user",
    audit: "account",
    summary: "Delete the account",
    description:
      "Deletes the user, and revokes the user's API keys in all organizations. Refuses the last admin of an organization.",
    body: z.strictObject({ password }),
    status: 204,
    errors: ["conflict"],
  }),
};
