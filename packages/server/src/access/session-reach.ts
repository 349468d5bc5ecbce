import type { Role } from "@svc/contract";
import type { Db } from "../stores/relational.ts";

type Membership = { organizationId: string; role: Role; requiresSingleSignOn: boolean };

/**
 * `startedBy` is the organization whose identity provider started the session; null when a password started it. A session that a provider
 * started acts only in the provider's organization. Where an organization requires single sign-on, admins may still use a password, so that
 * a broken provider cannot lock everybody out.
 */
export function mayActIn(
  { organizationId, role, requiresSingleSignOn }: Membership,
  startedBy: string | null,
): boolean {
  if (startedBy !== null) return startedBy === organizationId;
  return !requiresSingleSignOn || role === "admin";
}

/**
 * Returns the membership with which a session acts. `named` is an organization that replaces the session's own. Returns undefined when the
 * session may not act there.
 */
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
