import type { Session } from "@svc/contract";
import type { Context } from "koa";
import type { z } from "zod";
import { mayActIn } from "../../access/session-reach.ts";
import type { Sessions, SignedIn } from "../../access/sessions.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { AccountAudit } from "../../http/audited.ts";
import type { PeopleStore } from "./store/people.ts";

type Shown = { expiresAt: Date; startedBy: string | null };

export type SessionStarts = {
  /** Starts a session. Without the organization `named`, the session acts in the first organization that `requireOpen` returns. */
  startSession: (
    request: { http: Context; audit: AccountAudit },
    signedIn: SignedIn,
    named?: string,
  ) => Promise<z.infer<typeof Session>>;
  presentSession: (
    caller: { userId: string; organizationId: string },
    session: Shown | undefined,
  ) => Promise<z.infer<typeof Session>>;
  /**
   * Returns the organization `named`; without `named`, the first organization in which the session may act. Throws when there is no
   * such organization, or when the session may not act in it.
   */
  requireOpen: (userId: string, startedBy: string | null, named?: string) => Promise<{ id: string }>;
};

export function createSessionStarts(sessions: Sessions, people: PeopleStore): SessionStarts {
  async function organizationsOf(userId: string, startedBy: string | null) {
    const all = await people.organizationsOf(userId);
    return { all, open: all.filter((one) => mayActIn({ ...one, organizationId: one.id }, startedBy)) };
  }

  const requireOpen: SessionStarts["requireOpen"] = async (userId, startedBy, named) => {
    const { all, open } = await organizationsOf(userId, startedBy);
    const chosen = (organizations: typeof all) =>
      named === undefined ? organizations[0] : organizations.find(({ id }) => id === named);
    const organization = chosen(open);
    if (organization) return organization;
    const closed = chosen(all);
    if (closed?.requiresSingleSignOn && startedBy === null) throw singleSignOnRequired(closed);
    throw named === undefined ? withoutOrganization() : notFound();
  };

  const presentSession: SessionStarts["presentSession"] = async ({ userId, organizationId }, session) => {
    const person = await people.find(userId);
    const { open } = await organizationsOf(userId, session?.startedBy ?? null);
    const organizations = open.map(({ id, name, role }) => ({ id, name, role }));
    const current = organizations.find(({ id }) => id === organizationId);
    if (!person || !current) throw withoutOrganization();
    return {
      user: { id: person.id, name: person.name, email: person.email },
      organization: { id: current.id, name: current.name },
      role: current.role,
      organizations,
      expiresAt: (session?.expiresAt ?? new Date()).toISOString(),
    };
  };

  return {
    requireOpen,
    presentSession,

    async startSession({ http, audit }, signedIn, named) {
      const { userId, sessionId, startedBy, setCookies } = signedIn;
      try {
        const organization = await requireOpen(userId, startedBy, named);
        await audit.concerns({ userId, sessionId, organizationId: organization.id });
        await sessions.enter(sessionId, organization.id);
        const session = await presentSession({ userId, organizationId: organization.id }, signedIn);
        http.set("Set-Cookie", setCookies);
        return session;
      } catch (error) {
        await sessions.end(userId, sessionId);
        throw error;
      }
    },
  };
}

const withoutOrganization = () =>
  new AppError(
    "not_authenticated",
    "This person no longer belongs to an organization. Ask an admin for an invitation.",
  );

const singleSignOnRequired = ({ id, name }: { id: string; name: string }) =>
  new AppError(
    "not_permitted",
    `${name} requires single sign-on. Sign in with its identity provider; admins can also use their passwords. In a terminal, \`svc login\` without an address leads there.`,
    { missing: "single_sign_on", organization_id: id },
  );
