import { z } from "zod";
import { managesOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { textUpTo } from "../core/texts.ts";

/** What a user may do: a viewer reads and holds own keys, a member also writes, an admin also manages. */
export const Role = z.enum(["admin", "member", "viewer"]).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** A person who can sign in. */
export const User = z.strictObject({ id: id("usr"), name: z.string(), email: z.string() }).meta({ id: "User" });

/** Who is signed in, and where. */
export const Session = z
  .strictObject({
    user: User,
    organization: z.strictObject({ id: id("org"), name: z.string() }),
    role: Role,
    expiresAt: timestamp(),
  })
  .meta({ id: "Session" });

/** A person of the organization, by the id of the user. */
export const Member = z
  .strictObject({ userId: id("usr"), name: z.string(), email: z.string(), role: Role, createdAt: timestamp() })
  .meta({ id: "Member" });

/** An invitation that is open; its token was in the answer of its creation only. */
export const Invitation = z
  .strictObject({ id: id("inv"), email: z.string(), role: Role, expiresAt: timestamp(), createdAt: timestamp() })
  .meta({ id: "Invitation" });

const email = z.string().trim().toLowerCase().max(254).pipe(z.email());
const password = z
  .string()
  .min(LIMITS.passwordCharactersMin)
  .max(LIMITS.passwordCharactersMax)
  .meta({ description: `${LIMITS.passwordCharactersMin} to ${LIMITS.passwordCharactersMax} characters.` });
const personName = textUpTo(LIMITS.nameCharacters);

/** Signing up, in and out. */
export const accounts = {
  /**
   * Signs a person up and in. The first person claims the instance and becomes admin of its first organization and
   * project; later ones send an invitation's token, unless the instance has open sign-up.
   */
  signUp: operation({
    method: "POST",
    path: "/api/auth/sign-up/email",
    summary: "Sign up",
    description:
      "The first person claims the instance; later ones send an `invitation_token`, unless sign-up is open. Sets the session cookie.",
    tag: "Accounts",
    credential: "public",
    scope: "none",
    body: z.strictObject({ name: personName, email, password, invitation_token: z.string().min(1).optional() }),
    status: 201,
    answer: Session,
    errors: ["not_permitted", "conflict", "too_many_requests"],
  }),

  /** Signs in and sets the session cookie. */
  signIn: operation({
    method: "POST",
    path: "/api/auth/sign-in/email",
    summary: "Sign in",
    tag: "Accounts",
    credential: "public",
    scope: "none",
    body: z.strictObject({ email, password: z.string().min(1).max(LIMITS.passwordCharactersMax) }),
    status: 200,
    answer: Session,
    errors: ["not_authenticated", "too_many_requests"],
  }),

  /** Ends the session and clears its cookie; answers 204 without a session too. */
  signOut: operation({
    method: "POST",
    path: "/api/auth/sign-out",
    summary: "Sign out",
    tag: "Accounts",
    credential: "public",
    scope: "none",
    status: 204,
    errors: ["not_permitted"],
  }),

  /** Who the session cookie belongs to. */
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

/** The organization's people, for admins. */
export const members = {
  /** Lists the members, the newest first. */
  list: operation({
    method: "GET",
    path: "/v1/members",
    summary: "List members",
    tag: "Accounts",
    ...managesOrganization,
    query: z.strictObject(pageQuery),
    status: 200,
    answer: z.strictObject({ members: z.array(Member), nextPageToken }),
  }),

  /** Changes a member's role; it holds from the member's next request on, for their keys and sessions. */
  edit: operation({
    method: "PATCH",
    path: "/v1/members/{userId}",
    summary: "Change a member's role",
    tag: "Accounts",
    ...managesOrganization,
    params: z.strictObject({ userId: idInput("usr") }),
    body: z.strictObject({ role: Role }),
    status: 200,
    answer: z.strictObject({ member: Member }),
    errors: ["conflict"],
  }),

  /** Removes a member; their keys and sessions answer 401 from the next request on. */
  remove: operation({
    method: "DELETE",
    path: "/v1/members/{userId}",
    summary: "Remove a member",
    tag: "Accounts",
    ...managesOrganization,
    params: z.strictObject({ userId: idInput("usr") }),
    status: 204,
    errors: ["conflict"],
  }),
};

/** The organization's open invitations, for admins. */
export const invitations = {
  /** Invites a person; the token is in this answer only and signs them up with the given role. */
  create: operation({
    method: "POST",
    path: "/v1/invitations",
    summary: "Invite a person",
    description:
      "Hand the token to the person: it is in this answer only, signs one person up, and ends after seven days.",
    tag: "Accounts",
    ...managesOrganization,
    body: z.strictObject({ email, role: Role }),
    status: 201,
    answer: z.strictObject({ invitation: Invitation, token: z.string() }),
    errors: ["conflict"],
  }),

  /** Lists the invitations that are neither used nor over, the newest first. */
  list: operation({
    method: "GET",
    path: "/v1/invitations",
    summary: "List open invitations",
    tag: "Accounts",
    ...managesOrganization,
    query: z.strictObject(pageQuery),
    status: 200,
    answer: z.strictObject({ invitations: z.array(Invitation), nextPageToken }),
  }),

  /** Withdraws an open invitation; its token signs nobody up from now on. */
  revoke: operation({
    method: "DELETE",
    path: "/v1/invitations/{invitationId}",
    summary: "Withdraw an invitation",
    tag: "Accounts",
    ...managesOrganization,
    params: z.strictObject({ invitationId: idInput("inv") }),
    status: 204,
  }),
};
