import type { Role } from "@svc/contract";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

export const INVITATION_DAYS = 7;

export type InvitationRow = Schema["invitations"];
export type MemberRow = { id: string; user_id: string; name: string; email: string; role: Role; created_at: string };

/** The organization that a new person joins: a new organization, or the organization of the invitation. */
type Admission = { kind: "founder" } | { kind: "invited"; invitation: InvitationRow };

/**
 * Returns the organization that a new person joins; refuses an invalid invitation, and a claimed instance's sign-up
 * without an invitation.
 */
export function decideAdmission(signUp: {
  claimed: boolean;
  openSignUp: boolean;
  email: string;
  sentToken: boolean;
  invitation: InvitationRow | undefined;
  now: Date;
}): Admission {
  if (signUp.sentToken) {
    const { invitation } = signUp;
    const isUsable = invitation && invitation.accepted_at === null && new Date(invitation.expires_at) > signUp.now;
    if (isUsable && invitation.email === signUp.email) return { kind: "invited", invitation };
    throw invitationOver();
  }
  if (!signUp.claimed || signUp.openSignUp) return { kind: "founder" };
  throw new AppError(
    "not_permitted",
    "This instance accepts new people by invitation only. Ask an admin for an invitation and send its token.",
  );
}

export const invitationOver = () =>
  new AppError(
    "not_permitted",
    "This invitation was used, has expired, or is for another address. Ask an admin for a new one.",
  );

/** Refuses an invitation for the address of a member. */
export function refuseMember(members: readonly MemberRow[], email: string): void {
  if (!members.some((member) => member.email === email)) return;
  throw new AppError("conflict", "This person is already a member. Change their role instead.");
}

/** Refuses to let the last admin of an organization leave. */
export function requireAnotherAdmin(members: readonly MemberRow[], leaving: MemberRow): void {
  if (leaving.role !== "admin") return;
  if (members.some((member) => member.role === "admin" && member.user_id !== leaving.user_id)) return;
  throw new AppError("conflict", "This is the organization's last admin. Make another member an admin first.");
}

/** Returns the check for a change to `role`. */
export const checkRole =
  (role: Role) =>
  (members: readonly MemberRow[], member: MemberRow): void => {
    if (role !== "admin") requireAnotherAdmin(members, member);
  };
