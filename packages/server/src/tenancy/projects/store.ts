import type { Credentials } from "../../access/credentials.ts";
import { insertDefaultSuite } from "../../authoring/suites/store.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { ProjectRow } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";

export type ProjectStore = {
  /** Creates a project with its default suite. Throws `conflict` when the name or the slug is taken. */
  create: (organizationId: string, project: NewProject) => Promise<ProjectRow>;
  /** Returns the organization's oldest project. */
  first: (organizationId: string) => Promise<ProjectRow>;
  /** Newest first. If `onlyId` is not null, the page has only that project. */
  list: (organizationId: string, onlyId: string | null, page: PageRequest) => Promise<Page<ProjectRow>>;
  find: (organizationId: string, id: string) => Promise<ProjectRow | undefined>;
  /** Changes the members that `change` defines, and clears the cached API keys. Throws `conflict` when the name or the slug is taken. */
  update: (id: string, change: ProjectChange) => Promise<ProjectRow>;
};

/** A missing slug is derived from the name. */
type NewProject = {
  name: string;
  slug?: string | undefined;
  retentionDays?: number | null | undefined;
  versionAttribute?: string | null | undefined;
};

/** An undefined member stays unchanged. */
type ProjectChange = { [Member in keyof NewProject]?: NewProject[Member] | undefined };

export function createProjectStore(db: Db, credentials: Credentials): ProjectStore {
  const ofOrganization = (organizationId: string) =>
    db.selectFrom("projects").selectAll().where("organization_id", "=", organizationId);

  return {
    create: (organizationId, project) =>
      transaction(db, organizationId, (tx) => insertProject(tx, organizationId, project)).catch(refuseTakenName),

    first: (organizationId) => ofOrganization(organizationId).orderBy("id").executeTakeFirstOrThrow(),

    list(organizationId, onlyId, page) {
      const query = ofOrganization(organizationId);
      return readPage(onlyId === null ? query : query.where("id", "=", onlyId), page);
    },

    find: (organizationId, id) => ofOrganization(organizationId).where("id", "=", id).executeTakeFirst(),

    async update(id, { name, slug, retentionDays, versionAttribute }) {
      const project = await db
        .updateTable("projects")
        .set({
          name,
          slug,
          retention_days: retentionDays,
          version_attribute: versionAttribute,
          updated_at: new Date().toISOString(),
        })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTakenName);
      credentials.forget();
      return project;
    },
  };
}

/** Inserts the project and its default suite, in the caller's transaction. */
export async function insertProject(
  tx: Db,
  organizationId: string,
  { name, slug, retentionDays = null, versionAttribute = null }: NewProject,
): Promise<ProjectRow> {
  const now = new Date().toISOString();
  const slugs = await tx.selectFrom("projects").select("slug").where("organization_id", "=", organizationId).execute();
  const project = await tx
    .insertInto("projects")
    .values({
      id: newId("prj"),
      organization_id: organizationId,
      name,
      slug: slug ?? freeSlug(slugOf(name), new Set(slugs.map((row) => row.slug))),
      retention_days: retentionDays,
      version_attribute: versionAttribute,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertDefaultSuite(tx, project.id);
  return project;
}

const refuseTakenName = refuseTaken(
  "Another project of the organization has this name or slug. Choose a different one.",
);

function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, 60)
      .replaceAll(/^-+|-+$/g, "") || "project"
  );
}

function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let suffix = 2;
  while (taken.has(`${wanted}-${suffix}`)) suffix++;
  return `${wanted}-${suffix}`;
}
