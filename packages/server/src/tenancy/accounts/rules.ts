import { LIMITS, type Role } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import type { Schema } from "../../stores/schema.ts";

export const INVITATION_DAYS = LIMITS.invitationDays;

export type InvitationRow = Schema["invitations"];
export type ResetRow = Schema["password_resets"];
export type MemberRow = { id: string; user_id: string; name: string; email: string; role: Role; created_at: string };

/** `verified` is true when the account's owner proved the address with a token from a mail. */
export type AccountAtAddress = { userId: string; signInName: string; verified: boolean; createdAt: string };

type Admission = { kind: "founder" } | { kind: "invited"; invitation: InvitationRow };

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
    if (isOpen(invitation, signUp.now) && invitation.email === signUp.email) return { kind: "invited", invitation };
    throw invitationOver();
  }
  if (!signUp.claimed || signUp.openSignUp) return { kind: "founder" };
  throw invitationNeeded();
}

export const invitationNeeded = () =>
  new AppError(
    "not_permitted",
    "This instance accepts new people by invitation only. Ask an admin for an invitation and send its token.",
  );

export const isOpen = (invitation: InvitationRow | undefined, now: Date): invitation is InvitationRow =>
  invitation !== undefined && invitation.accepted_at === null && new Date(invitation.expires_at) > now;

export const invitationOver = () =>
  new AppError(
    "not_permitted",
    "This invitation was used, has expired, or is for another address. Ask an admin for a new one.",
  );

/**
 * Returns the sign-in name of a new account: usually the address itself. When nobody proved the address of an existing account, an
 * invited person may choose a separate account. That account gets a made-up sign-in name; see docs/people.md. Throws `conflict` in all
 * other cases in which the address has an account.
 */
export function decideSignInName(
  address: string,
  existing: readonly AccountAtAddress[],
  { invited, separate, fresh }: { invited: boolean; separate: boolean; fresh: string },
): string {
  if (existing.length === 0) return address;
  if (!invited) throw new AppError("conflict", "This address already has an account. Sign in instead.");
  if (existing.some(({ verified }) => verified))
    throw new AppError(
      "conflict",
      "The owner of this address already has an account. Sign in and accept the invitation, or reset the password by mail first.",
    );
  if (!separate)
    throw new AppError(
      "conflict",
      "This address already has an account. If it is yours, sign in and accept the invitation. If it is not, send `separate_account: true` with a password of your choice.",
      { missing: "separate_account" },
    );
  if (existing.length >= LIMITS.accountsPerAddress)
    throw new AppError("conflict", "This address has too many accounts. Ask for an invitation to another address.");
  return `${fresh}@accounts.invalid`;
}

export function accountsThatMaySignIn(accounts: readonly AccountAtAddress[]): readonly AccountAtAddress[] {
  const verified = accounts.filter((account) => account.verified);
  return verified.length > 0 ? verified : accounts;
}

/** Returns whether a token may set a new password. A token from an admin works only while the person belongs to no other organization. */
export function mayReset(row: ResetRow, organizationIds: readonly string[], now: Date): boolean {
  if (new Date(row.expires_at) <= now) return false;
  if (row.organization_id === null) return true;
  return organizationIds.length === 1 && organizationIds[0] === row.organization_id;
}

export function refuseMember(members: readonly MemberRow[], email: string): void {
  if (!members.some((member) => member.email === email)) return;
  throw alreadyMember();
}

export const alreadyMember = () =>
  new AppError("conflict", "This person is already a member. Change their role instead.");

export function requireAnotherAdmin(members: readonly MemberRow[], leaving: MemberRow): void {
  if (leaving.role !== "admin") return;
  if (members.some((member) => member.role === "admin" && member.user_id !== leaving.user_id)) return;
  throw new AppError("conflict", "This is the organization's last admin. Make another member an admin first.");
}

export const checkRole =
  (role: Role) =>
  (members: readonly MemberRow[], member: MemberRow): void => {
    if (role !== "admin") requireAnotherAdmin(members, member);
  };
