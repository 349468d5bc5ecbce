import type { Role } from "@svc/contract";
import type { Credentials } from "../../../access/credentials.ts";
import type { Sessions } from "../../../access/sessions.ts";
import { revokeKeysOf } from "../../api-keys/store.ts";
import { notFound } from "../../../base/errors.ts";
import { newId } from "../../../base/ids.ts";
import { firstOrganization, insertOrganization, type OrganizationStore } from "../../organizations/store.ts";
import { insertProject } from "../../projects/store.ts";
import { type Page, type PageRequest, readPage } from "../../../stores/page.ts";
import { recordOrganizationEvent } from "../../../stores/events.ts";
import type { Db } from "../../../stores/relational.ts";
import type { SealedCredentials } from "../../../stores/sealed-credentials.ts";
import { transaction } from "../../../stores/transaction.ts";
import { removeSecondFactor } from "../../second-factor/store/factors.ts";
import { requiringSingleSignOn, unlinkIdentity } from "../../single-sign-on/store.ts";
import type { AccountAtAddress, MemberRow } from "../rules.ts";

/** Scope of transactions about people. It is the same for all organizations, because a person can belong to several. */
export const PEOPLE = "people";

type CheckMember = (all: readonly MemberRow[], member: MemberRow) => void;

type Person = { id: string; name: string; email: string; verified: boolean };
type OrganizationOfPerson = { id: string; name: string; role: Role; requiresSingleSignOn: boolean };

/** Stores people and their memberships. A change of an existing membership clears the cached API keys. */
export type PeopleStore = {
  isClaimed: () => Promise<boolean>;
  /**
   * Creates an organization with one project, makes the person its admin, and returns its id, in one transaction. With `isFirst`,
   * creates nothing and returns undefined when the instance has an organization.
   */
  createOrganization: (
    userId: string,
    names: { organization: string; project: string },
    options: { isFirst: boolean },
  ) => Promise<string | undefined>;
  find: (userId: string) => Promise<Person | undefined>;
  signInNameOf: (userId: string) => Promise<string>;
  rename: (userId: string, name: string) => Promise<void>;
  /** In the order in which the person joined them. */
  organizationsOf: (userId: string) => Promise<OrganizationOfPerson[]>;
  /** Oldest first. */
  accountsAt: (address: string) => Promise<AccountAtAddress[]>;
  /**
   * Returns the ids of users at the address who belong to no organization. A sign-up leaves such a user behind when the process ends
   * during it.
   */
  findStranded: (address: string) => Promise<string[]>;
  /** Returns the admins of all organizations: the oldest organization first, and within it the member who joined first. */
  admins: () => Promise<{ userId: string; name: string; email: string; organizationId: string }[]>;
  members: (organizationId: string) => Promise<MemberRow[]>;
  listMembers: (organizationId: string, page: PageRequest) => Promise<Page<MemberRow>>;
  /** The member's next request has the new role. Throws what `check` throws; `check` runs in the same transaction. */
  setRole: (organizationId: string, userId: string, role: Role, check: CheckMember) => Promise<MemberRow>;
  /**
   * Ends a membership, and the person's keys and sessions in the organization. Deletes the person when this was their last organization.
   * Throws what `check` throws; `check` runs in the same transaction.
   */
  removeMember: (organizationId: string, userId: string, check: CheckMember) => Promise<void>;
  /** Returns the number of keys that worked until the revocation. */
  revokeKeys: (organizationId: string, userId: string) => Promise<number>;
  /**
   * Removes the second factor of a member and ends their sessions. Returns false, and changes nothing, for a person who belongs to
   * another organization too.
   */
  removeSecondFactor: (organizationId: string, userId: string) => Promise<boolean>;
  /** Deletes a person and revokes their keys. Runs `check` for each organization of the person, and throws what `check` throws. */
  deletePerson: (userId: string, check: CheckMember) => Promise<void>;
};

type Needs = {
  credentials: Credentials;
  sessions: Pick<Sessions, "endIn" | "endAllIn">;
  organizations: Pick<OrganizationStore, "first" | "get">;
  sealed: Pick<SealedCredentials, "remove">;
};

export function createPeopleStore(db: Db, { credentials, sessions, organizations, sealed }: Needs): PeopleStore {
  async function requireMember(tx: Db, organizationId: string, userId: string, check: CheckMember) {
    const all = await membersOf(tx, organizationId).execute();
    const member = all.find((row) => row.user_id === userId);
    if (!member) throw notFound();
    check(all, member);
    return member;
  }

  async function deleteUser(tx: Db, userId: string): Promise<void> {
    await removeSecondFactor(tx, sealed, userId);
    await tx.deleteFrom("users").where("id", "=", userId).execute();
  }

  async function change<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const changed = await transaction(db, PEOPLE, work);
    credentials.forget();
    return changed;
  }

  return {
    async isClaimed() {
      return (await organizations.first()) !== undefined;
    },

    createOrganization: (userId, names, { isFirst }) =>
      transaction(db, PEOPLE, async (tx) => {
        if (isFirst && (await firstOrganization(tx))) return undefined;
        const organization = await insertOrganization(tx, names.organization);
        await insertProject(tx, organization.id, { name: names.project });
        await insertMember(tx, userId, organization.id, "admin");
        return organization.id;
      }),

    async find(userId) {
      const row = await db
        .selectFrom("users")
        .select(["id", "name", "address as email", "email_verified"])
        .where("id", "=", userId)
        .executeTakeFirst();
      if (!row) return undefined;
      const { email_verified, ...person } = row;
      return { ...person, verified: email_verified === 1 };
    },

    async signInNameOf(userId) {
      const user = db.selectFrom("users").select("email").where("id", "=", userId);
      return (await user.executeTakeFirstOrThrow()).email;
    },

    async rename(userId, name) {
      await db
        .updateTable("users")
        .set({ name, updated_at: new Date().toISOString() })
        .where("id", "=", userId)
        .execute();
    },

    async organizationsOf(userId) {
      const memberships = await db
        .selectFrom("memberships")
        .select(["organization_id", "role"])
        .where("user_id", "=", userId)
        .orderBy("id")
        .execute();
      const requiring = await requiringSingleSignOn(
        db,
        memberships.map(({ organization_id }) => organization_id),
      );
      return Promise.all(
        memberships.map(async ({ organization_id, role }) => {
          const { id, name } = await organizations.get(organization_id);
          return { id, name, role, requiresSingleSignOn: requiring.has(id) };
        }),
      );
    },

    accountsAt: (address) => accountsAt(db, address),

    async findStranded(address) {
      const rows = await db
        .selectFrom("users")
        .leftJoin("memberships", "memberships.user_id", "users.id")
        .select("users.id")
        .where("address", "=", address)
        .where("memberships.id", "is", null)
        .execute();
      return rows.map(({ id }) => id);
    },

    admins: () =>
      db
        .selectFrom("memberships as m")
        .innerJoin("users as u", "u.id", "m.user_id")
        .select(["u.id as userId", "u.name", "u.address as email", "m.organization_id as organizationId"])
        .where("m.role", "=", "admin")
        .orderBy("m.organization_id")
        .orderBy("m.id")
        .execute(),

    members: (organizationId) => membersOf(db, organizationId).execute(),

    listMembers: (organizationId, page) => readPage(membersOf(db, organizationId), page, "memberships.id"),

    setRole: (organizationId, userId, role, check) =>
      change(async (tx) => {
        const member = await requireMember(tx, organizationId, userId, check);
        await tx.updateTable("memberships").set({ role }).where("id", "=", member.id).execute();
        if (member.role !== role) await recordChange(tx, organizationId, member, "role", role);
        return { ...member, role };
      }),

    removeMember: (organizationId, userId, check) =>
      change(async (tx) => {
        const member = await requireMember(tx, organizationId, userId, check);
        await recordChange(tx, organizationId, member, "left", null);
        await tx.deleteFrom("memberships").where("id", "=", member.id).execute();
        await revokeKeysOf(tx, userId, organizationId);
        await sessions.endIn(tx, userId, organizationId);
        await unlinkIdentity(tx, userId, organizationId);
        const others = await tx.selectFrom("memberships").select("id").where("user_id", "=", userId).execute();
        if (others.length === 0) await deleteUser(tx, userId);
      }),

    revokeKeys: (organizationId, userId) =>
      change(async (tx) => {
        await requireMember(tx, organizationId, userId, () => undefined);
        return revokeKeysOf(tx, userId, organizationId);
      }),

    removeSecondFactor: (organizationId, userId) =>
      change(async (tx) => {
        await requireMember(tx, organizationId, userId, () => undefined);
        if ((await organizationIdsOf(tx, userId)).length > 1) return false;
        await removeSecondFactor(tx, sealed, userId);
        await sessions.endAllIn(tx, userId);
        return true;
      }),

    deletePerson: (userId, check) =>
      change(async (tx) => {
        const memberships = await tx
          .selectFrom("memberships")
          .select("organization_id")
          .where("user_id", "=", userId)
          .execute();
        for (const { organization_id } of memberships) {
          const member = await requireMember(tx, organization_id, userId, check);
          await recordChange(tx, organization_id, member, "left", null);
        }
        await revokeKeysOf(tx, userId);
        await deleteUser(tx, userId);
      }),
  };
}

export async function accountsAt(tx: Db, address: string): Promise<AccountAtAddress[]> {
  const rows = await tx
    .selectFrom("users")
    .select(["id as userId", "email as signInName", "email_verified", "created_at as createdAt"])
    .where("address", "=", address)
    .orderBy("id")
    .execute();
  return rows.map(({ email_verified, ...account }) => ({ ...account, verified: email_verified === 1 }));
}

export const membersOf = (tx: Db, organizationId: string) =>
  tx
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select(["memberships.id", "user_id", "users.name", "users.address as email", "role", "memberships.created_at"])
    .where("organization_id", "=", organizationId);

export async function organizationIdsOf(tx: Db, userId: string): Promise<string[]> {
  const rows = await tx.selectFrom("memberships").select("organization_id").where("user_id", "=", userId).execute();
  return rows.map(({ organization_id }) => organization_id);
}

export async function insertMember(tx: Db, userId: string, organizationId: string, role: Role): Promise<void> {
  const created_at = new Date().toISOString();
  const row = { id: newId("mbr"), organization_id: organizationId, user_id: userId, role, created_at };
  await tx.insertInto("memberships").values(row).execute();
  const person = await tx
    .selectFrom("users")
    .select(["id as user_id", "name", "address as email"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  await recordChange(tx, organizationId, person, "joined", role);
}

async function recordChange(
  tx: Db,
  organizationId: string,
  { user_id: userId, name, email }: { user_id: string; name: string; email: string },
  change: "joined" | "role" | "left",
  role: Role | null,
): Promise<void> {
  const data = { member: { userId, name, email }, change, role };
  await recordOrganizationEvent(tx, organizationId, { type: "member.changed", about: userId, data });
}
