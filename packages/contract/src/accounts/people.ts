import { z } from "zod";
import { managesOrganization, overseesOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { createOperation, deleteOperation, editOperation, getOperation } from "../core/resource-operations.ts";
import { email, shownEmail } from "../core/texts.ts";
import { OwnOrganization, Role } from "./accounts.ts";

/** A user as a member of the organization. `userId` identifies the member. */
export const Member = z
  .strictObject({ userId: id("usr"), name: z.string(), email: shownEmail, role: Role, createdAt: timestamp() })
  .meta({ id: "Member" });

/** An open invitation, without its token. Only the answer to its creation holds the token. */
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
    audit: { leftOut: "Pages of admins read the names of colleagues all the time." },
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
   * Removes a member. The member's keys and sessions in the organization get 401 from their next request; other
   * organizations of the person are not affected. A person without another organization loses the account.
   */
  remove: deleteOperation({
    ...member,
    summary: "Remove a member",
    description:
      "The member's keys and sessions in the organization end. The person keeps other organizations. A person without another organization loses the account.",
    errors: ["conflict"],
  }),

  /**
   * Creates a one-time token with which a member sets a new password. Refuses a member who also belongs to another
   * organization, because the token gives access to that one too.
   */
  resetPassword: createOperation({
    ...forAdmins,
    path: "/v1/members/{userId}/password-reset",
    summary: "Create a password reset token for a member",
    description:
      "Send the token to the member, who sets a new password with it within 24 hours. Only this answer holds it. Refuses a member who also belongs to another organization: such a person needs a reset by mail.",
    params: z.strictObject({ userId: idInput("usr") }),
    answer: z.strictObject({ token: z.string(), expiresAt: timestamp() }),
    errors: ["conflict"],
  }),

  /**
   * Removes the second factor of a member who lost it, and ends the member's sessions. Refuses a member who also belongs to another
   * organization, which relies on it too.
   */
  removeSecondFactor: operation({
    ...forAdmins,
    method: "POST",
    path: "/v1/members/{userId}/remove-second-factor",
    summary: "Remove the second factor of a member",
    description:
      "For a member who lost the authenticator app or passkeys, and the recovery codes. The member's sessions end, and the password alone signs in until the member sets a second factor up again. Refuses a member who also belongs to another organization, because that one relies on it too.",
    params: z.strictObject({ userId: idInput("usr") }),
    status: 204,
    errors: ["conflict"],
  }),

  /** Revokes all API keys that a member created in the organization, from their next request on. The sessions go on. */
  revokeKeys: operation({
    ...forAdmins,
    method: "POST",
    path: "/v1/members/{userId}/revoke-keys",
    summary: "Revoke all API keys of a member",
    description:
      "Revokes the keys that the member created in this organization, from their next request on. Workers with such a key stop sending. The member's sessions go on.",
    params: z.strictObject({ userId: idInput("usr") }),
    status: 200,
    answer: z.strictObject({ revokedKeys: count("Number of keys that ended with this request.") }),
  }),
};

/** The part of an invitation that the holder of its token sees. */
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

/** The organization's open invitations, for admins, and their acceptance. */
export const invitations = {
  /**
   * Invites a person to join with the given role. Only this answer holds the token, which is valid for seven days. An earlier
   * open invitation of the same address becomes invalid.
   */
  create: createOperation({
    ...forAdmins,
    path: "/v1/invitations",
    summary: "Invite a person",
    description:
      "Send the token to the person you invite. Only this answer holds it. It is valid once, within seven days. An earlier open invitation of the same address becomes invalid. Where the service can send mail, it also sends the token to the address.",
    body: z.strictObject({ email, role: Role }),
    answer: z.strictObject({ invitation: Invitation, token: z.string() }),
    errors: ["conflict"],
  }),

  /** Lists the invitations that are neither used nor expired, newest first. */
  list: getOperation({
    ...forAdmins,
    ...overseesOrganization,
    path: "/v1/invitations",
    audit: { leftOut: "It shows no token, and pages of admins read it all the time." },
    summary: "List open invitations",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ invitations: z.array(Invitation), nextPageToken }),
  }),

  /** Withdraws an open invitation and makes its token invalid. */
  revoke: deleteOperation({
    ...forAdmins,
    path: "/v1/invitations/{invitationId}",
    summary: "Withdraw an invitation",
    params: z.strictObject({ invitationId: idInput("inv") }),
  }),

  /** Returns the organization, the role and the address of an open invitation. An invalid token gets 404. */
  preview: operation({
    tag: "Accounts",
    credential: "public",
    scope: "none",
    method: "POST",
    path: "/v1/invitations/preview",
    audit: { leftOut: "It changes nothing; the acceptance has its line." },
    summary: "Show an invitation by its token",
    description: "A token that is unknown, used, withdrawn or expired gets the same 404.",
    body: byToken,
    status: 200,
    answer: z.strictObject({ invitation: InvitationPreview }),
    errors: ["not_found", "too_many_requests"],
  }),

  /**
   * Makes the signed-in user a member of the inviting organization. The address of the user and of the invitation must be the
   * same. The session stays in its organization; `accounts.switchOrganization` changes it.
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
      "The signed-in user's address must be the address of the invitation. The session stays in its organization. A person without an account signs up with the token instead.",
    body: byToken,
    status: 200,
    answer: z.strictObject({ organization: OwnOrganization }),
    errors: ["not_found", "conflict"],
  }),
};
