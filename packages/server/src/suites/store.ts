import { AppError, notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import type { SuiteRow } from "./rules.ts";

export type SuiteStore = ReturnType<typeof openSuiteStore>;

export function openSuiteStore(db: Db) {
  const live = (tx: Db, projectId: string) =>
    tx
      .selectFrom("suites")
      .selectAll()
      .select((eb) =>
        eb
          .selectFrom("tests")
          .select((count) => count.fn.countAll<number>().as("n"))
          .whereRef("tests.suite_id", "=", "suites.id")
          .where("tests.deleted_at", "is", null)
          .as("test_count"),
      )
      .$castTo<SuiteRow>()
      .where("project_id", "=", projectId)
      .where("deleted_at", "is", null);

  const get = async (projectId: string, id: string): Promise<SuiteRow> =>
    live(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);

  return {
    get,

    async list(projectId: string, page: PageRequest): Promise<Page<SuiteRow>> {
      return readPage(live(db, projectId), page);
    },

    /**
     * The suite with this id, else with this name; the default one when none is named. Read in the transaction that puts
     * tests into it, so that none lands in a suite that is deleted meanwhile.
     */
    async named(tx: Db, projectId: string, named: string | undefined): Promise<SuiteRow> {
      if (named === undefined) return live(tx, projectId).where("is_default", "=", 1).executeTakeFirstOrThrow();
      const byId = await live(tx, projectId).where("id", "=", named).executeTakeFirst();
      const suite = byId ?? (await live(tx, projectId).where("name", "=", named).executeTakeFirst());
      if (!suite)
        throw new AppError(
          "unprocessable",
          `The project has no suite with this id or name; \`svc suites list\` shows them.`,
        );
      return suite;
    },

    async create(projectId: string, name: string): Promise<SuiteRow> {
      const now = new Date().toISOString();
      const row = {
        id: newId("ste"),
        project_id: projectId,
        name,
        is_default: 0 as const,
        created_at: now,
        updated_at: now,
      };
      await db
        .insertInto("suites")
        .values({ ...row, deleted_at: null })
        .execute()
        .catch(refuseTakenName);
      return { ...row, deleted_at: null, test_count: 0 };
    },

    async rename(projectId: string, id: string, name: string): Promise<SuiteRow> {
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

    /** Deletes the suite and its tests together. */
    async delete(id: string): Promise<void> {
      const deleted_at = new Date().toISOString();
      await transaction(db, async (tx) => {
        await tx.updateTable("suites").set({ deleted_at }).where("id", "=", id).execute();
        await tx
          .updateTable("tests")
          .set({ deleted_at })
          .where("suite_id", "=", id)
          .where("deleted_at", "is", null)
          .execute();
      });
    },
  };
}

const refuseTakenName = refuseTaken("Another suite of the project has this name; choose another.");
