import type { ViewedList, ViewQuery } from "@svc/contract";
import type { FindProjects } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { refuseOtherList, refuseTooManyViews, type ViewRow } from "./rules.ts";

type ViewChange = { name?: string | undefined; query?: ViewQuery | undefined };

export type ViewStore = {
  get: (projectId: string, id: string) => Promise<ViewRow>;
  findProjects: FindProjects;
  list: (projectId: string, list: ViewedList | undefined, page: PageRequest) => Promise<Page<ViewRow>>;
  /** Throws for a taken name, and for a project with too many views. */
  create: (projectId: string, name: string, query: ViewQuery) => Promise<ViewRow>;
  /** Throws for a taken name, and for a query of another list. */
  edit: (projectId: string, id: string, change: ViewChange) => Promise<ViewRow>;
  delete: (projectId: string, id: string) => Promise<void>;
};

export function createViewStore(db: Db): ViewStore {
  return {
    get: (projectId, id) => find(db, projectId, id),

    findProjects: (id) => projectOfRow(db, "saved_views", id),

    list(projectId, list, page) {
      const views = db.selectFrom("saved_views").selectAll().where("project_id", "=", projectId);
      return readPage(list === undefined ? views : views.where("list", "=", list), page);
    },

    create: (projectId, name, query) =>
      transaction(db, projectId, async (tx) => {
        const { count } = await tx
          .selectFrom("saved_views")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("project_id", "=", projectId)
          .executeTakeFirstOrThrow();
        refuseTooManyViews(Number(count));
        const now = new Date().toISOString();
        const row: ViewRow = {
          id: newId("viw"),
          project_id: projectId,
          list: query.list,
          name,
          query: JSON.stringify(query),
          created_at: now,
          updated_at: now,
        };
        await tx.insertInto("saved_views").values(row).execute();
        return row;
      }).catch(refuseTakenName),

    edit: (projectId, id, { name, query }) =>
      transaction(db, projectId, async (tx) => {
        const current = await find(tx, projectId, id);
        if (query !== undefined) refuseOtherList(current, query);
        const row: ViewRow = {
          ...current,
          ...(name !== undefined && { name }),
          ...(query !== undefined && { query: JSON.stringify(query) }),
          updated_at: new Date().toISOString(),
        };
        await tx.updateTable("saved_views").set(row).where("id", "=", id).execute();
        return row;
      }).catch(refuseTakenName),

    async delete(projectId, id) {
      const deleted = await db
        .deleteFrom("saved_views")
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (deleted.numDeletedRows === 0n) throw notFound();
    },
  };
}

const find = (db: Db, projectId: string, id: string): Promise<ViewRow> =>
  db
    .selectFrom("saved_views")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);

const refuseTakenName = refuseTaken("Another view of the project has this name; choose another.");
