import type { FindProjects } from "../../access/projects.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";

export type SuiteRow = Schema["suites"];

export type SuiteStore = {
  /** Throws `not_found` for a suite that is deleted or of another project. */
  get: (projectId: string, id: string) => Promise<SuiteRow>;
  /** Omits deleted suites. */
  mapNames: (projectId: string, ids: readonly string[]) => Promise<Map<string, string>>;
  findProjects: FindProjects;
  list: (projectId: string, page: PageRequest) => Promise<Page<SuiteRow>>;
  /**
   * Returns the suite whose id or name is `reference`, or the default suite when `reference` is undefined. An id precedes a name. Throws
   * when no suite fits. `tx` must be the transaction that adds tests to the suite, so that no test is added to a deleted suite.
   */
  resolve: (tx: Db, projectId: string, reference: string | undefined) => Promise<SuiteRow>;
  /** Returns the suite whose id or name is `reference`. When no suite fits, creates a suite with this name. */
  resolveOrCreate: (tx: Db, projectId: string, reference: string) => Promise<SuiteRow>;
  create: (projectId: string, name: string) => Promise<SuiteRow>;
  rename: (projectId: string, id: string, name: string) => Promise<SuiteRow>;
  /** Calls `deleteTests` in the same transaction, which deletes the suite's tests. */
  delete: (projectId: string, id: string, deleteTests: (tx: Db) => Promise<void>) => Promise<void>;
};

export function createSuiteStore(db: Db): SuiteStore {
  return {
    get,

    async mapNames(projectId, ids) {
      if (ids.length === 0) return new Map();
      const rows = await live(db, projectId).where("id", "in", ids).execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    findProjects: (id) => projectOfRow(db, "suites", id),

    list: (projectId, page) => readPage(live(db, projectId), page),

    async resolve(tx, projectId, reference) {
      if (reference === undefined) return live(tx, projectId).where("is_default", "=", 1).executeTakeFirstOrThrow();
      const suite = await find(tx, projectId, reference);
      if (suite) return suite;
      throw unknownSuite();
    },

    async resolveOrCreate(tx, projectId, reference) {
      const suite = await find(tx, projectId, reference);
      if (suite) return suite;
      if (SUITE_ID.test(reference)) throw unknownSuite();
      const created = newSuite(projectId, reference);
      await tx.insertInto("suites").values(created).execute().catch(refuseTakenName);
      return created;
    },

    async create(projectId, name) {
      const suite = newSuite(projectId, name);
      await db.insertInto("suites").values(suite).execute().catch(refuseTakenName);
      return suite;
    },

    async rename(projectId, id, name) {
      await db
        .updateTable("suites")
        .set({ name, updated_at: new Date().toISOString() })
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .execute()
        .catch(refuseTakenName);
      return get(projectId, id);
    },

    delete: (projectId, id, deleteTests) =>
      transaction(db, projectId, async (tx) => {
        await tx.updateTable("suites").set({ deleted_at: new Date().toISOString() }).where("id", "=", id).execute();
        await deleteTests(tx);
      }),
  };

  async function get(projectId: string, id: string): Promise<SuiteRow> {
    return live(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
  }
}

const SUITE_ID = /^ste_[0-9a-z]{26}$/;

async function find(tx: Db, projectId: string, reference: string): Promise<SuiteRow | undefined> {
  const byId = await live(tx, projectId).where("id", "=", reference).executeTakeFirst();
  return byId ?? live(tx, projectId).where("name", "=", reference).executeTakeFirst();
}

const unknownSuite = () =>
  new AppError("unprocessable", "The project has no suite with this id or name. `svc suites list` shows all suites.");

/** Inserts the default suite of a new project, in the transaction that inserts the project. */
export async function insertDefaultSuite(tx: Db, projectId: string): Promise<void> {
  const suite = newSuite(projectId, "Default");
  await tx
    .insertInto("suites")
    .values({ ...suite, is_default: 1 })
    .execute();
}

function newSuite(projectId: string, name: string): SuiteRow {
  const now = new Date().toISOString();
  return {
    id: newId("ste"),
    project_id: projectId,
    name,
    is_default: 0,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
}

const live = (db: Db, projectId: string) =>
  db.selectFrom("suites").selectAll().where("project_id", "=", projectId).where("deleted_at", "is", null);

const refuseTakenName = refuseTaken("Another suite of the project has this name; choose another.");
