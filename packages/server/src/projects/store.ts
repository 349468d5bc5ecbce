import type { Credentials } from "../access/credentials.ts";
import { newId } from "../ids.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import type { ProjectRow } from "../stores/schema.ts";
import { transaction } from "../stores/transaction.ts";
import { freeSlug, slugOf } from "./rules.ts";

const DEFAULT_SUITE = "Default";

export type ProjectStore = ReturnType<typeof openProjectStore>;

export function openProjectStore(db: Db, credentials: Credentials) {
  const store = {
    create: (organizationId: string, name: string, slug?: string): Promise<ProjectRow> =>
      transaction(db, (tx) => insertProject(tx, organizationId, name, slug)).catch(refuseTakenName),

    async ensure(organizationId: string, name: string): Promise<ProjectRow> {
      const known = await db
        .selectFrom("projects")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("name", "=", name)
        .executeTakeFirst();
      return known ?? store.create(organizationId, name);
    },

    async list(organizationId: string, onlyId: string | null, page: PageRequest): Promise<Page<ProjectRow>> {
      let query = db.selectFrom("projects").selectAll().where("organization_id", "=", organizationId);
      if (onlyId) query = query.where("id", "=", onlyId);
      return readPage(query, page);
    },

    async find(organizationId: string, id: string): Promise<ProjectRow | undefined> {
      return db
        .selectFrom("projects")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .executeTakeFirst();
    },

    async edit(id: string, change: { name?: string | undefined; slug?: string | undefined }): Promise<ProjectRow> {
      const project = await db
        .updateTable("projects")
        .set({ ...change, updated_at: new Date().toISOString() })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch(refuseTakenName);
      credentials.forget();
      return project;
    },
  };
  return store;
}

/** Makes the project and its default suite. */
export async function insertProject(tx: Db, organizationId: string, name: string, slug?: string): Promise<ProjectRow> {
  const now = new Date().toISOString();
  const slugs = await tx.selectFrom("projects").select("slug").where("organization_id", "=", organizationId).execute();
  const project = await tx
    .insertInto("projects")
    .values({
      id: newId("prj"),
      organization_id: organizationId,
      name,
      slug: slug ?? freeSlug(slugOf(name), new Set(slugs.map((row) => row.slug))),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("suites")
    .values({
      id: newId("ste"),
      project_id: project.id,
      name: DEFAULT_SUITE,
      is_default: 1,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    })
    .execute();
  return project;
}

const refuseTakenName = refuseTaken("Another project of the organization has this name or slug; choose another.");
