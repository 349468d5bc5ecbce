import type { Role } from "@svc/contract";
import type { Credentials } from "../access/credentials.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { insertOrganization } from "../organizations/store.ts";
import { insertProject } from "../projects/store.ts";
import { sha256 } from "../secrets.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import type { Db } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import { INVITATION_DAYS, type InvitationRow, type MemberRow } from "./rules.ts";

/** Refuses a change of one of the members. */
type CheckMember = (all: readonly MemberRow[], member: MemberRow) => void;
export type AccountStore = ReturnType<typeof openAccountStore>;

/** People, where they belong, and who is invited. Every change of a membership makes the credentials forget. */
export function openAccountStore(db: Db, credentials: Credentials) {
  const members = (tx: Db, organizationId: string) =>
    tx
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.user_id")
      .select(["memberships.id", "user_id", "users.name", "users.email", "role", "memberships.created_at"])
      .where("organization_id", "=", organizationId);

  /** `check` is asked in the step that changes the member, so that two changes at once cannot both rely on each other's. */
  async function changeMember(
    organizationId: string,
    userId: string,
    check: CheckMember,
    change: (tx: Db) => Promise<unknown>,
  ): Promise<MemberRow> {
    const changed = await transaction(db, async (tx) => {
      const all = await members(tx, organizationId).execute();
      const member = all.find((row) => row.user_id === userId);
      if (!member) throw notFound();
      check(all, member);
      await change(tx);
      return member;
    });
    credentials.forget();
    return changed;
  }

  return {
    async isClaimed(): Promise<boolean> {
      return (await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst()) !== undefined;
    },

    /** Makes the person admin of an organization of their own with one project: all of it, or nothing. */
    async found(userId: string, names: { organization: string; project: string }): Promise<void> {
      await transaction(db, async (tx) => {
        const organization = await insertOrganization(tx, names.organization);
        await insertProject(tx, organization.id, names.project);
        await insertMember(tx, userId, organization.id, "admin");
      });
    },

    /**
     * Makes the invited a member, and ends every other invitation of that address: one that stayed would outlive the
     * membership. False when the invitation was withdrawn meanwhile.
     */
    async admitInvited(userId: string, { id, organization_id, email, role }: InvitationRow): Promise<boolean> {
      return transaction(db, async (tx) => {
        const accepted_at = new Date().toISOString();
        const accepted = await tx
          .updateTable("invitations")
          .set({ accepted_at })
          .where("id", "=", id)
          .where("accepted_at", "is", null)
          .executeTakeFirst();
        if (accepted.numUpdatedRows === 0n) return false;
        await insertMember(tx, userId, organization_id, role);
        await tx
          .deleteFrom("invitations")
          .where("organization_id", "=", organization_id)
          .where("email", "=", email)
          .where("accepted_at", "is", null)
          .execute();
        return true;
      });
    },

    async person(userId: string) {
      return db
        .selectFrom("users")
        .innerJoin("memberships", "memberships.user_id", "users.id")
        .innerJoin("organizations", "organizations.id", "memberships.organization_id")
        .select([
          "users.id",
          "users.name",
          "users.email",
          "role",
          "organizations.id as organizationId",
          "organizations.name as organizationName",
        ])
        .where("users.id", "=", userId)
        .executeTakeFirst();
    },

    /** A user who signed up and was never admitted, because the process ended in between. */
    async strandedUser(email: string): Promise<string | undefined> {
      const row = await db
        .selectFrom("users")
        .leftJoin("memberships", "memberships.user_id", "users.id")
        .select("users.id")
        .where("email", "=", email)
        .where("memberships.id", "is", null)
        .executeTakeFirst();
      return row?.id;
    },

    async members(organizationId: string): Promise<MemberRow[]> {
      return members(db, organizationId).execute();
    },

    async memberPage(organizationId: string, page: PageRequest): Promise<Page<MemberRow>> {
      return readPage(members(db, organizationId), page, "memberships.id");
    },

    /** The role holds from the member's next request on. */
    async setRole(organizationId: string, userId: string, role: Role, check: CheckMember): Promise<MemberRow> {
      const member = await changeMember(organizationId, userId, check, (tx) =>
        tx.updateTable("memberships").set({ role }).where("user_id", "=", userId).execute(),
      );
      return { ...member, role };
    },

    /** Removes the person: keys and sessions answer 401 from now on, and the address may be invited again. */
    async remove(organizationId: string, userId: string, check: CheckMember): Promise<void> {
      await changeMember(organizationId, userId, check, (tx) =>
        tx.deleteFrom("users").where("id", "=", userId).execute(),
      );
    },

    async invite(organizationId: string, email: string, role: Role, token: string): Promise<InvitationRow> {
      const now = new Date();
      const row: InvitationRow = {
        id: newId("inv"),
        organization_id: organizationId,
        email,
        role,
        token_sha256: sha256(token),
        expires_at: new Date(now.getTime() + INVITATION_DAYS * 24 * 3600 * 1000).toISOString(),
        accepted_at: null,
        created_at: now.toISOString(),
      };
      await db.insertInto("invitations").values(row).execute();
      return row;
    },

    async invitationOf(token: string): Promise<InvitationRow | undefined> {
      return db.selectFrom("invitations").selectAll().where("token_sha256", "=", sha256(token)).executeTakeFirst();
    },

    async openInvitations(organizationId: string, page: PageRequest): Promise<Page<InvitationRow>> {
      const open = db
        .selectFrom("invitations")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("accepted_at", "is", null)
        .where("expires_at", ">", new Date().toISOString());
      return readPage(open, page);
    },

    async withdraw(organizationId: string, id: string): Promise<void> {
      const gone = await db
        .deleteFrom("invitations")
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .where("accepted_at", "is", null)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound();
    },
  };
}

async function insertMember(tx: Db, userId: string, organizationId: string, role: Role): Promise<void> {
  const created_at = new Date().toISOString();
  const row = { id: newId("mbr"), organization_id: organizationId, user_id: userId, role, created_at };
  await tx.insertInto("memberships").values(row).execute();
}
