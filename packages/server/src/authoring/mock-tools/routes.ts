import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import { presentMockTool } from "./present.ts";
import { decideCreate, decideEdit, refuseUnknownAgents } from "./rules.ts";
import type { MockToolStore } from "./store.ts";

export function mockToolRoutes(store: MockToolStore): Routes<"mockTools"> {
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
