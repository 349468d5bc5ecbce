import type { SavedView, ViewQuery } from "@svc/contract";
import type { FindProjects } from "../../access/projects.ts";
import type { Project } from "../../access/caller.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { type Missing, presentView, readQuery, refuseMissing, type ViewRow } from "./rules.ts";
import { createViewStore, type ViewStore } from "./store.ts";

/** Finds what the filters of views name. */
export type Named = {
  run: FindProjects;
  alert: FindProjects;
  /** Returns whether only archived agents of the project have the name. */
  isArchivedAgent: (projectId: string, name: string) => Promise<boolean>;
};

export function openViews({ db }: Pick<ServiceContext, "db">, named: Named) {
  const store = createViewStore(db);
  return { projectsOf: { view: store.findProjects }, routes: viewRoutes(store, named) };
}

function viewRoutes(store: ViewStore, named: Named): Routes<"views"> {
  async function missingOf(project: Project, { runId, alertId, agent }: ViewQuery): Promise<Missing> {
    const isMissing = async (find: FindProjects, id: string | undefined) =>
      id !== undefined && !(await find(id, [project])).includes(project.id);
    return {
      run: await isMissing(named.run, runId),
      alert: await isMissing(named.alert, alertId),
      isAgentArchived: agent !== undefined && (await named.isArchivedAgent(project.id, agent)),
    };
  }

  const present = async (project: Project, row: ViewRow): Promise<SavedView> =>
    presentView(row, await missingOf(project, readQuery(row).query));

  return {
    views: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, query.list, pageRequest("viw", query.pageSize, query.pageToken));
        const views: SavedView[] = [];
        for (const row of page.items) views.push(await present(project, row));
        return { views, nextPageToken: page.next };
      },

      create: async ({ project, body }) => {
        refuseMissing(await missingOf(project, body.query));
        return { view: await present(project, await store.create(project.id, body.name, body.query)) };
      },

      get: async ({ project, params }) => ({
        view: await present(project, await store.get(project.id, params.viewId)),
      }),

      edit: async ({ project, params, body }) => {
        const { id } = await store.get(project.id, params.viewId);
        if (body.query !== undefined) refuseMissing(await missingOf(project, body.query));
        return { view: await present(project, await store.edit(project.id, id, body)) };
      },

      delete: ({ project, params }) => store.delete(project.id, params.viewId),
    },
  };
}
