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

/** Opens the projects. `onVersionAttribute` runs when a project changes the attribute of spans that contains the version of its agents. */
export function openProjects({ db, credentials }: ServiceContext, onVersionAttribute: () => Promise<void>) {
  const store = createProjectStore(db, credentials);
  return { store, routes: projectRoutes(store, onVersionAttribute) };
}

function projectRoutes(store: ProjectStore, onVersionAttribute: () => Promise<void>): Routes<"projects"> {
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

      create: async ({ caller, body }) => {
        const project = await store.create(caller.organizationId, body);
        if (project.version_attribute !== null) await onVersionAttribute();
        return { project: presentProject(project) };
      },

      edit: async ({ caller, params, body }) => {
        const project = await visible(caller, params.projectId);
        const changed = await store.update(project.id, body);
        if (changed.version_attribute !== project.version_attribute) await onVersionAttribute();
        return { project: presentProject(changed) };
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
    versionAttribute: row.version_attribute,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
