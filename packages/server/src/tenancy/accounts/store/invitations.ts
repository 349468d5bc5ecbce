import type { Role } from "@svc/contract";
import { notFound } from "../../../base/errors.ts";
import { newId } from "../../../base/ids.ts";
import { sha256 } from "../../../base/secrets/secrets.ts";
import { type Page, type PageRequest, readPage } from "../../../stores/page.ts";
import type { Db } from "../../../stores/relational.ts";
import { transaction } from "../../../stores/transaction.ts";
import { INVITATION_DAYS, type InvitationRow } from "../rules.ts";
import { dropResetsByAdmins } from "./password-resets.ts";
import { insertMember, organizationIdsOf, PEOPLE } from "./people.ts";

type NewInvitation = { organizationId: string; email: string; role: Role; token: string; invitedBy: string };

export type InvitationStore = {
  /**
   * Creates an invitation and deletes earlier open invitations for the same address. The database stores only a hash of the token.
   */
  create: (invitation: NewInvitation) => Promise<InvitationRow>;
  /** Returns the invitation of the token, even when it was accepted or has expired; undefined for an unknown token. */
  find: (token: string) => Promise<InvitationRow | undefined>;
  /**
   * Makes the person a member, and deletes the organization's other open invitations for the address, because these would still
   * work after the person left. Returns `over` when the invitation was used or withdrawn in the meantime, and `member` when the
   * person is a member already.
   */
  accept: (userId: string, invitation: InvitationRow) => Promise<"accepted" | "over" | "member">;
  /** Newest first; only invitations that can still be accepted. */
  list: (organizationId: string, page: PageRequest) => Promise<Page<InvitationRow>>;
  revoke: (organizationId: string, id: string) => Promise<void>;
};

export function createInvitationStore(db: Db): InvitationStore {
  const deleteOpen = (tx: Db, organizationId: string, email: string) =>
    tx
      .deleteFrom("invitations")
      .where("organization_id", "=", organizationId)
      .where("email", "=", email)
      .where("accepted_at", "is", null)
      .execute();

  return {
    create: ({ organizationId, email, role, token, invitedBy }) =>
      transaction(db, PEOPLE, async (tx) => {
        await deleteOpen(tx, organizationId, email);
        const now = new Date();
        const row: InvitationRow = {
          id: newId("inv"),
          organization_id: organizationId,
          email,
          role,
          token_sha256: sha256(token),
          expires_at: new Date(now.getTime() + INVITATION_DAYS * 24 * 3600 * 1000).toISOString(),
          accepted_at: null,
          invited_by_user_id: invitedBy,
          created_at: now.toISOString(),
        };
        await tx.insertInto("invitations").values(row).execute();
        return row;
      }),

    find: (token) =>
      db.selectFrom("invitations").selectAll().where("token_sha256", "=", sha256(token)).executeTakeFirst(),

    accept: (userId, { id, organization_id, email, role }) =>
      transaction(db, PEOPLE, async (tx) => {
        if ((await organizationIdsOf(tx, userId)).includes(organization_id)) return "member";
        const accepted = await tx
          .updateTable("invitations")
          .set({ accepted_at: new Date().toISOString() })
          .where("id", "=", id)
          .where("accepted_at", "is", null)
          .executeTakeFirst();
        if (accepted.numUpdatedRows === 0n) return "over";
        await insertMember(tx, userId, organization_id, role);
        await dropResetsByAdmins(tx, userId);
        await deleteOpen(tx, organization_id, email);
        return "accepted";
      }),

    list(organizationId, page) {
      const open = db
        .selectFrom("invitations")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("accepted_at", "is", null)
        .where("expires_at", ">", new Date().toISOString());
      return readPage(open, page);
    },

    async revoke(organizationId, id) {
      const deleted = await db
        .deleteFrom("invitations")
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .where("accepted_at", "is", null)
        .executeTakeFirst();
      if (deleted.numDeletedRows === 0n) throw notFound();
    },
  };
}
