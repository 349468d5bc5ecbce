import { AppError, notFound } from "../../base/errors.ts";
import type { Routes } from "../../http/operation.ts";
import type { SharedRateLimit } from "../../http/rate-limit.ts";
import type { Log } from "../../base/log/log.ts";
import type { Mail } from "../../base/net/mail.ts";
import type { OrganizationStore } from "../organizations/store.ts";
import { newToken } from "../../base/secrets/secrets.ts";
import { pageRequest } from "../../stores/page.ts";
import { invitationMail } from "./mails.ts";
import { presentInvitation, presentMember, presentPreview } from "./present.ts";
import { countRequestOf } from "./routes.ts";
import {
  accountsThatMaySignIn,
  alreadyMember,
  checkRole,
  INVITATION_DAYS,
  isOpen,
  refuseMember,
  requireAnotherAdmin,
} from "./rules.ts";
import type { InvitationStore } from "./store/invitations.ts";
import type { ResetStore } from "./store/password-resets.ts";
import type { PeopleStore } from "./store/people.ts";

type PeopleParts = {
  people: PeopleStore;
  invitations: InvitationStore;
  resets: ResetStore;
  organizations: OrganizationStore;
  requests: SharedRateLimit;
  mail: Mail | undefined;
  serviceUrl: string;
  log: Log;
};

const invalidInvitation = () =>
  new AppError(
    "not_found",
    "This invitation was used or withdrawn, has expired, or does not exist. Ask an admin for a new one.",
  );

export function peopleRoutes(parts: PeopleParts): Routes<"members" | "invitations"> {
  const { people, invitations, resets, organizations, mail, serviceUrl, log } = parts;

  /** Returns the open invitation with this token. Throws the same 404 for every other token. */
  async function openInvitation(token: string) {
    const invitation = await invitations.find(token);
    if (!isOpen(invitation, new Date())) throw invalidInvitation();
    return invitation;
  }

  async function sendInvitation(organizationId: string, inviterId: string, to: string, token: string): Promise<void> {
    if (!mail) return;
    const [organization, inviter] = [await organizations.get(organizationId), await people.find(inviterId)];
    const content = { organization: organization.name, inviter: inviter?.name ?? "An admin", token };
    await mail.send({ to, ...invitationMail(serviceUrl, { ...content, days: INVITATION_DAYS }) });
  }

  return {
    members: {
      list: async ({ caller, query }) => {
        const page = await people.listMembers(
          caller.organizationId,
          pageRequest("mbr", query.pageSize, query.pageToken),
        );
        return { members: page.items.map(presentMember), nextPageToken: page.next };
      },

      edit: async ({ caller, params, body: { role } }) => ({
        member: presentMember(await people.setRole(caller.organizationId, params.userId, role, checkRole(role))),
      }),

      remove: ({ caller, params }) => people.removeMember(caller.organizationId, params.userId, requireAnotherAdmin),

      revokeKeys: async ({ caller, params }) => ({
        revokedKeys: await people.revokeKeys(caller.organizationId, params.userId),
      }),

      removeSecondFactor: async ({ caller, params }) => {
        if (await people.removeSecondFactor(caller.organizationId, params.userId)) return;
        throw new AppError(
          "conflict",
          "This person also belongs to another organization, which relies on the second factor too. Ask the person to use a recovery code.",
        );
      },

      resetPassword: async ({ caller, params }) => {
        const members = await people.members(caller.organizationId);
        if (!members.some(({ user_id }) => user_id === params.userId)) throw notFound();
        const created = await resets.createForAdmin(params.userId, caller.organizationId);
        if (created) return created;
        throw new AppError(
          "conflict",
          "This person also belongs to another organization, and the token would give access to it. Ask the person to reset the password by mail, or to change it while signed in.",
        );
      },
    },

    invitations: {
      create: async ({ caller, body }) => {
        refuseMember(await people.members(caller.organizationId), body.email);
        const token = newToken();
        const { organizationId, userId: invitedBy } = caller;
        const invitation = await invitations.create({ organizationId, ...body, token, invitedBy });
        void sendInvitation(organizationId, invitedBy, body.email, token).catch((error: unknown) =>
          log.error({ err: error }, "a mail with an invitation could not be sent"),
        );
        return { invitation: presentInvitation(invitation), token };
      },

      list: async ({ caller, query }) => {
        const page = await invitations.list(caller.organizationId, pageRequest("inv", query.pageSize, query.pageToken));
        return { invitations: page.items.map(presentInvitation), nextPageToken: page.next };
      },

      revoke: ({ caller, params }) => invitations.revoke(caller.organizationId, params.invitationId),

      preview: {
        admit: ({ http }) => countRequestOf(parts.requests, http),
        handle: async ({ body }) => {
          const invitation = await openInvitation(body.token);
          const members = await people.members(invitation.organization_id);
          const inviter = members.find(({ user_id }) => user_id === invitation.invited_by_user_id);
          return {
            invitation: presentPreview(invitation, await organizations.get(invitation.organization_id), inviter),
          };
        },
      },

      accept: async ({ caller, body, http, audit }) => {
        await countRequestOf(parts.requests, http);
        const invitation = await openInvitation(body.token);
        const person = await people.find(caller.userId);
        const accounts = accountsThatMaySignIn(await people.accountsAt(invitation.email));
        if (person?.email !== invitation.email || !accounts.some(({ userId }) => userId === caller.userId))
          throw new AppError(
            "not_permitted",
            "This invitation is for another address. Sign in with that address, or ask for an invitation to yours.",
          );
        const { userId, sessionId } = caller;
        await audit.concerns({ userId, sessionId, organizationId: invitation.organization_id });
        const outcome = await invitations.accept(userId, invitation);
        if (outcome === "member") throw alreadyMember();
        if (outcome === "over") throw invalidInvitation();
        const { id, name } = await organizations.get(invitation.organization_id);
        return { organization: { id, name, role: invitation.role } };
      },
    },
  };
}
