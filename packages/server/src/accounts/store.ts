import type { Role } from "@svc/contract";
import type { Credentials } from "../access/credentials.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { insertOrganization, type OrganizationRow, type OrganizationStore } from "../organizations/store.ts";
import { insertProject } from "../projects/store.ts";
import { sha256 } from "../secrets.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import type { Db } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import { INVITATION_DAYS, type InvitationRow, type MemberRow } from "./rules.ts";

/** Refuses a change of `member`, given all members of the organization. */
type CheckMember = (all: readonly MemberRow[], member: MemberRow) => void;

type Person = {
  id: string;
  name: string;
  email: string;
  role: Role;
  organization: OrganizationRow;
};

/** People, their memberships and invitations. Each change of a membership drops the cached credentials. */
export type AccountStore = {
  /** Returns whether the instance has an organization. */
  isClaimed: () => Promise<boolean>;
  /** Creates an organization with one project and makes the person its admin, in one transaction. */
  createOrganization: (userId: string, names: { organization: string; project: string }) => Promise<void>;
  /**
   * Makes the invited person a member and deletes their other invitations, which would outlive the membership. Returns
   * false when the invitation was revoked meanwhile.
   */
  acceptInvitation: (userId: string, invitation: InvitationRow) => Promise<boolean>;
  /** Returns a person with their organization; undefined for a person without one. */
  findPerson: (userId: string) => Promise<Person | undefined>;
  /** Returns the id of a user without an organization, whom a sign-up leaves behind when the process ends during it. */
  findStrandedUser: (email: string) => Promise<string | undefined>;
  /** Returns all members of the organization. */
  members: (organizationId: string) => Promise<MemberRow[]>;
  /** Returns a page of the organization's members, newest first. */
  listMembers: (organizationId: string, page: PageRequest) => Promise<Page<MemberRow>>;
  /** Changes a member's role, from their next request on; refuses what `check` refuses, in the same transaction. */
  setRole: (organizationId: string, userId: string, role: Role, check: CheckMember) => Promise<MemberRow>;
  /** Deletes the person with their keys and sessions; refuses what `check` refuses, in the same transaction. */
  removeMember: (organizationId: string, userId: string, check: CheckMember) => Promise<void>;
  /** Creates an invitation for the address; the token is stored as a hash only. */
  createInvitation: (organizationId: string, email: string, role: Role, token: string) => Promise<InvitationRow>;
  findInvitation: (token: string) => Promise<InvitationRow | undefined>;
  /** Returns a page of the invitations that can still be accepted, newest first. */
  listInvitations: (organizationId: string, page: PageRequest) => Promise<Page<InvitationRow>>;
  /** Deletes an invitation; refuses one that was accepted or does not exist. */
  revokeInvitation: (organizationId: string, id: string) => Promise<void>;
};

export function createAccountStore(
  db: Db,
  credentials: Credentials,
  organizations: Pick<OrganizationStore, "first" | "get">,
): AccountStore {
  const membersOf = (tx: Db, organizationId: string) =>
    tx
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.user_id")
      .select(["memberships.id", "user_id", "users.name", "users.email", "role", "memberships.created_at"])
      .where("organization_id", "=", organizationId);

  async function changeMember(
    organizationId: string,
    userId: string,
    check: CheckMember,
    change: (tx: Db) => Promise<unknown>,
  ): Promise<MemberRow> {
    const changed = await transaction(db, async (tx) => {
      const all = await membersOf(tx, organizationId).execute();
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
    async isClaimed() {
      return (await organizations.first()) !== undefined;
    },

    createOrganization: (userId, names) =>
      transaction(db, async (tx) => {
        const organization = await insertOrganization(tx, names.organization);
        await insertProject(tx, organization.id, names.project);
        await insertMember(tx, userId, organization.id, "admin");
      }),

    acceptInvitation: (userId, { id, organization_id, email, role }) =>
      transaction(db, async (tx) => {
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
      }),

    async findPerson(userId) {
      const person = await db
        .selectFrom("users")
        .innerJoin("memberships", "memberships.user_id", "users.id")
        .select(["users.id", "users.name", "users.email", "role", "organization_id"])
        .where("users.id", "=", userId)
        .executeTakeFirst();
      if (!person) return undefined;
      const { organization_id, ...member } = person;
      return { ...member, organization: await organizations.get(organization_id) };
    },

    async findStrandedUser(email) {
      const row = await db
        .selectFrom("users")
        .leftJoin("memberships", "memberships.user_id", "users.id")
        .select("users.id")
        .where("email", "=", email)
        .where("memberships.id", "is", null)
        .executeTakeFirst();
      return row?.id;
    },

    members: (organizationId) => membersOf(db, organizationId).execute(),

    listMembers: (organizationId, page) => readPage(membersOf(db, organizationId), page, "memberships.id"),

    async setRole(organizationId, userId, role, check) {
      const member = await changeMember(organizationId, userId, check, (tx) =>
        tx.updateTable("memberships").set({ role }).where("user_id", "=", userId).execute(),
      );
      return { ...member, role };
    },

    async removeMember(organizationId, userId, check) {
      await changeMember(organizationId, userId, check, (tx) =>
        tx.deleteFrom("users").where("id", "=", userId).execute(),
      );
    },

    async createInvitation(organizationId, email, role, token) {
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

    findInvitation: (token) =>
      db.selectFrom("invitations").selectAll().where("token_sha256", "=", sha256(token)).executeTakeFirst(),

    listInvitations(organizationId, page) {
      const open = db
        .selectFrom("invitations")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("accepted_at", "is", null)
        .where("expires_at", ">", new Date().toISOString());
      return readPage(open, page);
    },

    async revokeInvitation(organizationId, id) {
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

async function insertMember(tx: Db, userId: string, organizationId: string, role: Role): Promise<void> {
  const created_at = new Date().toISOString();
  const row = { id: newId("mbr"), organization_id: organizationId, user_id: userId, role, created_at };
  await tx.insertInto("memberships").values(row).execute();
}
