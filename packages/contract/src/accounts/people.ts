import { z } from "zod";
import { managesOrganization, overseesOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { createOperation, deleteOperation, editOperation, getOperation } from "../core/resource-operations.ts";
import { email, shownEmail } from "../core/texts.ts";
import { OwnOrganization, Role } from "./accounts.ts";

/** Member of the organization. `userId` identifies the member. */
export const Member = z
  .strictObject({ userId: id("usr"), name: z.string(), email: shownEmail, role: Role, createdAt: timestamp() })
  .meta({ id: "Member" });

/** Open invitation without its token. Only the answer of `invitations.create` contains the token. */
export const Invitation = z
  .strictObject({ id: id("inv"), email: shownEmail, role: Role, expiresAt: timestamp(), createdAt: timestamp() })
  .meta({ id: "Invitation" });

const forAdmins = { tag: "Accounts", ...managesOrganization } as const;

const member = {
  ...forAdmins,
  path: "/v1/members/{userId}",
  params: z.strictObject({ userId: idInput("usr") }),
} as const;

/** The organization's members, for admins. */
export const members = {
  /** Lists the members, newest first. */
  list: getOperation({
    ...forAdmins,
    ...overseesOrganization,
    path: "/v1/members",
    audit: { leftOut: "The pages for admins send this request all the time." },
    summary: "List members",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ members: z.array(Member), nextPageToken }),
  }),

  /** Changes a member's role. The new role applies to the member's keys and sessions from their next request. */
  edit: editOperation({
    ...member,
    summary: "Change a member's role",
    body: z.strictObject({ role: Role }),
    answer: z.strictObject({ member: Member }),
    errors: ["conflict"],
  }),

  /**
   * Removes a member. The next request of the member's API keys and sessions in the organization gets 401. Memberships of the
   * person in other organizations do not change. A person without another organization loses the account.
   */
  remove: deleteOperation({
    ...member,
    summary: "Remove a member",
    description:
      "Revokes the member's API keys of the organization, and ends the member's sessions in it. The person remains a member of other organizations. Deletes the account of a person who has no other organization.",
    errors: ["conflict"],
  }),

  /**
   * Creates a one-time token with which a member sets a new password. Answers 409 `conflict` for a member who also belongs to another
   * organization, because the token would also give access to the other organization.
   */
  resetPassword: createOperation({
    ...forAdmins,
    path: "/v1/members/{userId}/password-reset",
    summary: "Create a password reset token for a member",
    description:
      "Send the token to the member, who can set a new password with it within 24 hours. No later answer contains the token. Refuses a member who also belongs to another organization; that member needs a reset by mail.",
    params: z.strictObject({ userId: idInput("usr") }),
    answer: z.strictObject({ token: z.string(), expiresAt: timestamp() }),
    errors: ["conflict"],
  }),

  /**
   * Removes the second factor of a member, and ends the member's sessions. Answers 409 `conflict` for a member who also belongs to
   * another organization, because that organization relies on the second factor too.
   */
  removeSecondFactor: operation({
    ...forAdmins,
    method: "POST",
    path: "/v1/members/{userId}/remove-second-factor",
    summary: "Remove the second factor of a member",
    description:
      "For a member who lost the authenticator app or the passkeys, and also the recovery codes. Ends the member's sessions. From then on, the member signs in with only the password, until the member sets up a second factor again. Refuses a member who also belongs to another organization, because that organization relies on the second factor too.",
    params: z.strictObject({ userId: idInput("usr") }),
    status: 204,
    errors: ["conflict"],
  }),

  /** Revokes all API keys that a member created in the organization. The member's sessions continue. */
  revokeKeys: operation({
    ...forAdmins,
    method: "POST",
    path: "/v1/members/{userId}/revoke-keys",
    summary: "Revoke all API keys of a member",
    description:
      "Revokes the API keys that the member created in this organization. The next request with one of these keys gets 401, so a worker with such a key can no longer send conversations. The member's sessions continue.",
    params: z.strictObject({ userId: idInput("usr") }),
    status: 200,
    answer: z.strictObject({ revokedKeys: count("Number of keys that this request revoked.") }),
  }),
};

/** Part of an invitation that the holder of its token sees. */
export const InvitationPreview = z
  .strictObject({
    organization: z.strictObject({ name: z.string() }),
    inviter: z
      .strictObject({ name: z.string() })
      .nullable()
      .meta({ description: "Null when the inviter is no longer a member." }),
    email: shownEmail,
    role: Role,
    expiresAt: timestamp(),
  })
  .meta({ id: "InvitationPreview" });

const byToken = z.strictObject({ token: z.string().min(1).max(200) });

/** Invitations: admins manage open invitations, and invited people accept them. */
export const invitations = {
  /**
   * Invites a person to join with the given role. Only this answer contains the token. The token is valid for seven days. An
   * earlier open invitation of the same address becomes invalid.
   */
  create: createOperation({
    ...forAdmins,
    path: "/v1/invitations",
    summary: "Invite a person",
    description:
      "Send the token to the person whom you invite. No later answer contains the token. The token is valid once, within seven days. An earlier open invitation of the same address becomes invalid. When the service can send mail, it also sends the token to the address.",
    body: z.strictObject({ email, role: Role }),
    answer: z.strictObject({ invitation: Invitation, token: z.string() }),
    errors: ["conflict"],
  }),

  /** Lists the open invitations (neither used, withdrawn nor expired), newest first. */
  list: getOperation({
    ...forAdmins,
    ...overseesOrganization,
    path: "/v1/invitations",
    audit: { leftOut: "The answer contains no token, and the pages for admins send this request all the time." },
    summary: "List open invitations",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ invitations: z.array(Invitation), nextPageToken }),
  }),

  /** Withdraws an open invitation. Its token becomes invalid. */
  revoke: deleteOperation({
    ...forAdmins,
    path: "/v1/invitations/{invitationId}",
    summary: "Withdraw an invitation",
    params: z.strictObject({ invitationId: idInput("inv") }),
  }),

  /** Returns an open invitation by its token: the organization, the inviter, the role and the address. An invalid token gets 404. */
  preview: operation({
    tag: "Accounts",
    credential: "public",
    scope: "none",
    method: "POST",
    path: "/v1/invitations/preview",
    audit: { leftOut: "It changes nothing. The audit has a line for the acceptance of the invitation." },
    summary: "Show an invitation by its token",
    description: "A token that is unknown, used, withdrawn or expired gets the same 404.",
    body: byToken,
    status: 200,
    answer: z.strictObject({ invitation: InvitationPreview }),
    errors: ["not_found", "too_many_requests"],
  }),

  /**
   * Makes the signed-in user a member of the inviting organization. The user's address must be the address of the invitation.
   * The session still acts in its former organization; `accounts.switchOrganization` changes that.
   */
  accept: operation({
    tag: "Accounts",
    credential: "session",
    permission: "read",
    scope: "organization",
    method: "POST",
    path: "/v1/invitations/accept",
    audit: "account",
    summary: "Accept an invitation",
    description:
      "The signed-in user's address must be the address of the invitation. The session still acts in its former organization. A person without an account signs up with the token instead.",
    body: byToken,
    status: 200,
    answer: z.strictObject({ organization: OwnOrganization }),
    errors: ["not_found", "conflict"],
  }),
};
