import type { Invitation, Member, Role } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

export const INVITATION_DAYS = 7;

export type InvitationRow = Schema["invitations"];
export type MemberRow = { id: string; user_id: string; name: string; email: string; role: Role; created_at: string };

/** Where a person who signs up goes: a new organization, or the one that invited them. */
type Admission = { kind: "founder" } | { kind: "invited"; invitation: InvitationRow };

export function decideAdmission(asked: {
  claimed: boolean;
  openSignUp: boolean;
  email: string;
  sentToken: boolean;
  invitation: InvitationRow | undefined;
  now: Date;
}): Admission {
  if (asked.sentToken) {
    const { invitation } = asked;
    const usable = invitation && invitation.accepted_at === null && new Date(invitation.expires_at) > asked.now;
    if (usable && invitation.email === asked.email) return { kind: "invited", invitation };
    throw invitationOver();
  }
  if (!asked.claimed || asked.openSignUp) return { kind: "founder" };
  throw new AppError(
    "not_permitted",
    "This instance is claimed and takes people by invitation; ask an admin for one and send its token.",
  );
}

export const invitationOver = () =>
  new AppError("not_permitted", "This invitation is used, over, or for another address; ask an admin for a new one.");

export function refuseMember(members: readonly MemberRow[], email: string): void {
  if (!members.some((member) => member.email === email)) return;
  throw new AppError("conflict", "This person is a member already; change their role instead.");
}

/** An organization keeps at least one admin. */
export function requireAnotherAdmin(members: readonly MemberRow[], leaving: MemberRow): void {
  if (leaving.role !== "admin") return;
  if (members.some((member) => member.role === "admin" && member.user_id !== leaving.user_id)) return;
  throw new AppError("conflict", "This is the organization's last admin; make another member admin first.");
}

export const checkRole =
  (role: Role) =>
  (members: readonly MemberRow[], member: MemberRow): void => {
    if (role !== "admin") requireAnotherAdmin(members, member);
  };

export const presentMember = (row: MemberRow): z.infer<typeof Member> => ({
  userId: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  createdAt: row.created_at,
});

export const presentInvitation = (row: InvitationRow): z.infer<typeof Invitation> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});
