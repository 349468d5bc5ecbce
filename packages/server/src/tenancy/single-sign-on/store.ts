import { LIMITS, type Role } from "@svc/contract";
import { newToken, sha256 } from "../../base/secrets/secrets.ts";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import { secretMissing } from "./rules.ts";

export type ProviderRow = Omit<Schema["sso_providers"], "domains"> & { domains: string[] };
type SignInRow = Schema["sso_sign_ins"];

export type NewProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  domains: string[];
  required: boolean;
  joinRole: Exclude<Role, "admin"> | null;
};

export type SingleSignOnStore = {
  find: (organizationId: string) => Promise<ProviderRow | undefined>;
  hasAny: () => Promise<boolean>;
  ofDomain: (domain: string) => Promise<ProviderRow[]>;
  /** Returns the client secret. Undefined when the encryption key that sealed it is lost. */
  secretOf: (organizationId: string) => Promise<string | undefined>;
  /**
   * Stores the identity provider of an organization. Without a new secret, keeps the stored secret, and throws when the issuer or the
   * client id changes. When the issuer changes, deletes the links to identities of the former issuer and runs `changed` in the same
   * transaction.
   */
  set: (organizationId: string, provider: NewProvider, changed: (tx: Db) => Promise<void>) => Promise<ProviderRow>;
  /** Removes the provider and its links. Runs `removed` in the same transaction. */
  remove: (organizationId: string, removed: (tx: Db) => Promise<void>) => Promise<void>;
  begin: (
    browser: string,
    started: Pick<SignInRow, "organization_id" | "issuer" | "redirect_uri">,
  ) => Promise<SignInRow & { state: string }>;
  /**
   * Returns a started sign-in and deletes it. Returns undefined when the sign-in is unknown, has expired or was started in another
   * browser.
   */
  take: (state: string, browser: string) => Promise<SignInRow | undefined>;
};

const sealedIdOf = (organizationId: string) => `${organizationId}/single-sign-on`;

export function createSingleSignOnStore(db: Db, sealed: SealedCredentials): SingleSignOnStore {
  const rowOf = async (tx: Db, organizationId: string) => {
    const row = await tx
      .selectFrom("sso_providers")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row && read(row);
  };

  const removeLinks = (tx: Db, organizationId: string) =>
    tx.deleteFrom("sso_identities").where("organization_id", "=", organizationId).execute();

  return {
    find: (organizationId) => rowOf(db, organizationId),

    hasAny: async () =>
      (await db.selectFrom("sso_providers").select("organization_id").limit(1).executeTakeFirst()) !== undefined,

    async ofDomain(domain) {
      const rows = await db.selectFrom("sso_providers").selectAll().orderBy("organization_id").execute();
      return rows.map(read).filter(({ domains }) => domains.includes(domain));
    },

    secretOf: (organizationId) => sealed.open(sealedIdOf(organizationId)),

    set: (organizationId, { issuer, clientId, clientSecret, domains, required, joinRole }, changed) =>
      transaction(db, organizationId, async (tx) => {
        const former = await rowOf(tx, organizationId);
        const isSame = former?.issuer === issuer && former.client_id === clientId;
        if (clientSecret === undefined && !isSame) throw secretMissing();
        const now = new Date().toISOString();
        const content = {
          issuer,
          client_id: clientId,
          domains: JSON.stringify(domains),
          required: required ? (1 as const) : (0 as const),
          join_role: joinRole,
          updated_at: now,
        };
        await tx
          .insertInto("sso_providers")
          .values({ organization_id: organizationId, created_at: now, ...content })
          .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(content))
          .execute();
        if (clientSecret !== undefined)
          await sealed.put(tx, { id: sealedIdOf(organizationId), organizationId }, clientSecret, "");
        if (former !== undefined && former.issuer !== issuer) {
          await removeLinks(tx, organizationId);
          await changed(tx);
        }
        return (await rowOf(tx, organizationId))!;
      }),

    remove: (organizationId, removed) =>
      transaction(db, organizationId, async (tx) => {
        await tx.deleteFrom("sso_providers").where("organization_id", "=", organizationId).execute();
        await removeLinks(tx, organizationId);
        await sealed.remove(tx, sealedIdOf(organizationId));
        await removed(tx);
      }),

    async begin(browser, started) {
      const nowMs = Date.now();
      const state = newToken();
      const row: SignInRow = {
        ...started,
        state_sha256: sha256(state),
        browser_sha256: sha256(browser),
        nonce: newToken(),
        code_verifier: newToken(),
        expires_ms: nowMs + LIMITS.singleSignOnSeconds * 1000,
      };
      await db.deleteFrom("sso_sign_ins").where("expires_ms", "<", nowMs).execute();
      await db.insertInto("sso_sign_ins").values(row).execute();
      return { ...row, state };
    },

    async take(state, browser) {
      const row = await db
        .deleteFrom("sso_sign_ins")
        .where("state_sha256", "=", sha256(state))
        .where("browser_sha256", "=", sha256(browser))
        .returningAll()
        .executeTakeFirst();
      return row && Date.now() < row.expires_ms ? row : undefined;
    },
  };
}

const read = (row: Schema["sso_providers"]): ProviderRow => ({ ...row, domains: JSON.parse(row.domains) as string[] });

type Link = { organizationId: string; issuer: string; subject: string };

export async function accountOfIdentity(
  tx: Db,
  { organizationId, issuer, subject }: Link,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom("sso_identities")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.user_id;
}

export async function linkedAccounts(tx: Db, organizationId: string): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("sso_identities")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function linkIdentity(tx: Db, userId: string, { organizationId, issuer, subject }: Link): Promise<void> {
  const created_at = new Date().toISOString();
  const row = { organization_id: organizationId, issuer, subject, user_id: userId, created_at };
  await tx.insertInto("sso_identities").values(row).execute();
}

export async function unlinkIdentity(tx: Db, userId: string, organizationId: string): Promise<void> {
  await tx
    .deleteFrom("sso_identities")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
}

export async function requiringSingleSignOn(db: Db, organizationIds: readonly string[]): Promise<Set<string>> {
  if (organizationIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("sso_providers")
    .select("organization_id")
    .where("organization_id", "in", organizationIds)
    .where("required", "=", 1)
    .execute();
  return new Set(rows.map(({ organization_id }) => organization_id));
}

/**
 * Allows the members of the organization to sign in with passwords again, in the caller's transaction. Returns whether anything changed.
 */
export async function stopRequiring(tx: Db, organizationId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("sso_providers")
    .set({ required: 0 })
    .where("organization_id", "=", organizationId)
    .where("required", "=", 1)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
