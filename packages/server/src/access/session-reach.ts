import type { Role } from "@svc/contract";
import type { Db } from "../stores/relational.ts";

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

/** Returns the organization in which a session acts, by name or else its own, with the role there; undefined where it may not act. */
export async function membershipOf(db: Db, sessionId: string, named: string | undefined) {
  const memberships = db
    .selectFrom("sessions as s")
    .innerJoin("memberships as m", "m.user_id", "s.user_id")
    .leftJoin("sso_providers as p", "p.organization_id", "m.organization_id")
    .select(["m.organization_id", "m.role", "p.required", "s.sso_organization_id"])
    .where("s.id", "=", sessionId);
  const member = await (
    named === undefined
      ? memberships.whereRef("m.organization_id", "=", "s.organization_id")
      : memberships.where("m.organization_id", "=", named)
  ).executeTakeFirst();
  if (!member) return undefined;
  const { organization_id: organizationId, role, required, sso_organization_id: startedBy } = member;
  return mayActIn({ organizationId, role, requiresSingleSignOn: required === 1 }, startedBy)
    ? { organizationId, role }
    : undefined;
}
