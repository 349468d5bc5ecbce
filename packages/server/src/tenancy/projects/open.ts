import type { Project } from "@svc/contract";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { mayDo } from "../../access/permissions.ts";
import { notFound } from "../../base/errors.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import type { ProjectRow } from "../../stores/schema.ts";
import { createProjectStore, type ProjectStore } from "./store.ts";

export function openProjects({ db, credentials }: ServiceContext) {
  const store = createProjectStore(db, credentials);
  return { store, routes: projectRoutes(store) };
}

function projectRoutes(store: ProjectStore): Routes<"projects"> {
  async function visible(caller: Caller, id: string): Promise<ProjectRow> {
    const project = await store.find(caller.organizationId, id);
    if (!project || (caller.projectId !== null && caller.projectId !== project.id)) throw notFound();
    return project;
  }

  return {
    projects: {
      list: async ({ caller, query }) => {
        const page = await store.list(
          caller.organizationId,
          caller.projectId,
          pageRequest("prj", query.pageSize, query.pageToken),
        );
        return {
          projects: page.items.map(presentProject),
          mayManageProjects: mayDo(caller, "manage"),
          nextPageToken: page.next,
        };
      },

      create: async ({ caller, body }) => ({
        project: presentProject(await store.create(caller.organizationId, body)),
      }),

      edit: async ({ caller, params, body }) => {
        const project = await visible(caller, params.projectId);
        return { project: presentProject(await store.update(project.id, body)) };
      },
    },
  };
}

function presentProject(row: ProjectRow): z.infer<typeof Project> {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    retentionDays: row.retention_days,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
