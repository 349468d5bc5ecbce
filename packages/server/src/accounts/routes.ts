import type { Context } from "koa";
import type { Sessions, SignedIn } from "../access/sessions.ts";
import { AppError } from "../errors.ts";
import { requireSameOrigin } from "../http/authenticate.ts";
import type { Routes } from "../http/operation.ts";
import { type RateLimit, tooManyRequests } from "../http/rate-limit.ts";
import { newToken } from "../secrets.ts";
import { pageRequest } from "../stores/page.ts";
import { presentInvitation, presentMember } from "./present.ts";
import { checkRole, refuseMember, requireAnotherAdmin } from "./rules.ts";
import type { SignUp } from "./sign-up.ts";
import type { AccountStore } from "./store.ts";

export function accountRoutes(
  store: AccountStore,
  sessions: Sessions,
  signUp: SignUp,
  attempts: RateLimit,
): Routes<"accounts" | "members" | "invitations"> {
  async function sessionOf(userId: string, expiresAt: Date) {
    const person = await store.findPerson(userId);
    if (!person)
      throw new AppError(
        "not_authenticated",
        "This person no longer belongs to an organization. Ask an admin for an invitation.",
      );
    return {
      user: { id: person.id, name: person.name, email: person.email },
      organization: { id: person.organization.id, name: person.organization.name },
      role: person.role,
      expiresAt: expiresAt.toISOString(),
    };
  }

  async function startSession(http: Context, signedIn: SignedIn) {
    const session = await sessionOf(signedIn.userId, signedIn.expiresAt);
    http.set("Set-Cookie", signedIn.setCookies);
    return session;
  }

  function countAttempt(http: Context): void {
    const window = attempts.count(http.ip);
    if (window.exceeded)
      throw tooManyRequests(window, `Too many attempts from this address. Wait ${window.resetSeconds} s.`);
  }

  return {
    accounts: {
      signUp: async ({ body, http }) => {
        countAttempt(http);
        const { invitation_token: invitationToken, ...person } = body;
        return startSession(http, await signUp({ ...person, invitationToken }));
      },

      signIn: async ({ body, http }) => {
        countAttempt(http);
        const signedIn = await sessions.signIn(body);
        if (!signedIn)
          throw new AppError(
            "not_authenticated",
            "The address or the password is wrong. Check both and sign in again.",
          );
        return startSession(http, signedIn);
      },

      signOut: async ({ http }) => {
        if (http.headers.cookie === undefined) return;
        requireSameOrigin(http.headers, sessions.origins);
        http.set("Set-Cookie", await sessions.signOut(http.headers));
      },

      session: async ({ caller, http }) =>
        sessionOf(caller.userId, (await sessions.expiryOf(http.headers)) ?? new Date()),
    },
    members: {
      list: async ({ caller, query }) => {
        const page = await store.listMembers(
          caller.organizationId,
          pageRequest("mbr", query.pageSize, query.pageToken),
        );
        return { members: page.items.map(presentMember), nextPageToken: page.next };
      },

      edit: async ({ caller, params, body: { role } }) => ({
        member: presentMember(await store.setRole(caller.organizationId, params.userId, role, checkRole(role))),
      }),

      remove: async ({ caller, params }) =>
        store.removeMember(caller.organizationId, params.userId, requireAnotherAdmin),
    },
    invitations: {
      create: async ({ caller, body }) => {
        refuseMember(await store.members(caller.organizationId), body.email);
        const token = newToken();
        const invitation = await store.createInvitation(caller.organizationId, body.email, body.role, token);
        return { invitation: presentInvitation(invitation), token };
      },

      list: async ({ caller, query }) => {
        const page = await store.listInvitations(
          caller.organizationId,
          pageRequest("inv", query.pageSize, query.pageToken),
        );
        return { invitations: page.items.map(presentInvitation), nextPageToken: page.next };
      },

      revoke: async ({ caller, params }) => store.revokeInvitation(caller.organizationId, params.invitationId),
    },
  };
}
