import type { Role } from "@svc/contract";

/** An organization that a person belongs to. */
type Membership = { organizationId: string; role: Role; requiresSingleSignOn: boolean };

/**
 * Returns whether a session of the person acts in the organization. `startedBy` is the organization whose identity provider started
 * the session, which acts in no other one; null for a session that the password started. An organization that requires its provider
 * admits admins with a password too, so that no fault of the provider locks everybody out.
 */
export function mayActIn(
  { organizationId, role, requiresSingleSignOn }: Membership,
  startedBy: string | null,
): boolean {
  if (startedBy !== null) return startedBy === organizationId;
  return !requiresSingleSignOn || role === "admin";
}
