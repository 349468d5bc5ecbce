import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { presentSuite, refuseDefault } from "./rules.ts";
import type { SuiteStore } from "./store.ts";

export function suiteRoutes(store: SuiteStore): Routes<"suites"> {
  return {
    suites: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("ste", query.pageSize, query.pageToken));
        return { testSuites: page.items.map(presentSuite), nextPageToken: page.next };
      },

      create: async ({ project, body }) => ({
        testSuite: presentSuite(await store.create(project.id, body.name)),
      }),

      get: async ({ project, params }) => ({
        testSuite: presentSuite(await store.get(project.id, params.suiteId)),
      }),

      edit: async ({ project, params, body }) => ({
        testSuite: presentSuite(await store.rename(project.id, params.suiteId, body.name)),
      }),

      delete: async ({ project, params }) => {
        const suite = await store.get(project.id, params.suiteId);
        refuseDefault(suite);
        await store.delete(suite.id);
      },
    },
  };
}
