import type { ProjectMockTool } from "@svc/contract";
import type { z } from "zod";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { contentOf, decideCreate, decideEdit, type MockToolRow, refuseUnknownAgents } from "./rules.ts";
import { createMockToolStore, type MockToolStore } from "./store.ts";

export function openMockTools({ db }: ServiceContext) {
  const store = createMockToolStore(db);
  return { store, projectsOf: { mockTool: store.findProjects }, routes: mockToolRoutes(store) };
}

export type MockTools = ReturnType<typeof openMockTools>;

function mockToolRoutes(store: MockToolStore): Routes<"mockTools"> {
  return {
    mockTools: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("mck", query.pageSize, query.pageToken));
        return { mockTools: page.items.map(presentMockTool), nextPageToken: page.next };
      },

      create: async ({ project, body }) => {
        const content = decideCreate(body);
        refuseUnknownAgents(await store.listUnknownAgents(project.id, content.agentIds));
        return { mockTool: presentMockTool(await store.create(project.id, content)) };
      },

      get: async ({ project, params }) => ({
        mockTool: presentMockTool(await store.get(project.id, params.mockToolId)),
      }),

      edit: async ({ project, params, body }) => {
        const { id } = await store.get(project.id, params.mockToolId);
        refuseUnknownAgents(await store.listUnknownAgents(project.id, body.agentIds ?? []));
        return { mockTool: presentMockTool(await store.edit(project.id, id, (current) => decideEdit(current, body))) };
      },

      delete: async ({ project, params }) => store.delete(project.id, params.mockToolId),
    },
  };
}

function presentMockTool(row: MockToolRow): z.infer<typeof ProjectMockTool> {
  const { tool, outcome, delayMs, succeedsWhen, agentIds } = contentOf(row);
  return {
    id: row.id,
    projectId: row.project_id,
    tool,
    ...outcome,
    delayMs,
    ...(succeedsWhen !== undefined && { succeedsWhen }),
    agentIds,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
