import { z } from "zod";
import { managesOrganization } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { createOperation, deleteOperation, editOperation, getOperation } from "../core/resource-operations.ts";
import { email, shownEmail } from "../core/texts.ts";
import { Role } from "./accounts.ts";

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
    path: "/v1/members",
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

  /** Removes a member. The member's keys and sessions get 401 from their next request. */
  remove: deleteOperation({ ...member, summary: "Remove a member", errors: ["conflict"] }),
};

/** The organization's open invitations, for admins. */
export const invitations = {
  /** Invites a person to sign up with the given role. Only this answer holds the token, which is valid for seven days. */
  create: createOperation({
    ...forAdmins,
    path: "/v1/invitations",
    summary: "Invite a person",
    description:
      "Send the token to the person you invite. Only this answer holds it. It is valid for one sign-up within seven days.",
    body: z.strictObject({ email, role: Role }),
    answer: z.strictObject({ invitation: Invitation, token: z.string() }),
    errors: ["conflict"],
  }),

  /** Lists the invitations that are neither used nor expired, newest first. */
  list: getOperation({
    ...forAdmins,
    path: "/v1/invitations",
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
};
