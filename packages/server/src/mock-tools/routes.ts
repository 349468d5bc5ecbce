import { operations } from "@svc/contract";
import { type Route, route } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { decideCreate, decideEdit, presentMockTool, refuseUnknownAgents } from "./rules.ts";
import type { MockToolStore } from "./store.ts";

export function mockToolRoutes(store: MockToolStore): Route[] {
  return [
    route(operations.mockTools.list, async ({ project, query }) => {
      const page = await store.list(project.id, pageRequest("mck", query.pageSize, query.pageToken));
      return { mockTools: page.items.map(presentMockTool), nextPageToken: page.next };
    }),

    route(operations.mockTools.create, async ({ project, body }) => {
      const content = decideCreate(body);
      refuseUnknownAgents(await store.unknownAgents(project.id, content.agentIds));
      return { mockTool: presentMockTool(await store.create(project.id, content)) };
    }),

    route(operations.mockTools.get, async ({ project, params }) => ({
      mockTool: presentMockTool(await store.get(project.id, params.mockToolId)),
    })),

    route(operations.mockTools.edit, async ({ project, params, body }) => {
      const { id } = await store.get(project.id, params.mockToolId);
      refuseUnknownAgents(await store.unknownAgents(project.id, body.agentIds ?? []));
      return { mockTool: presentMockTool(await store.edit(project.id, id, (current) => decideEdit(current, body))) };
    }),

    route(operations.mockTools.delete, async ({ project, params }) => store.delete(project.id, params.mockToolId)),
  ];
}
