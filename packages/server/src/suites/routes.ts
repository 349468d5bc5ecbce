import { operations } from "@svc/contract";
import { type Route, route } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import { presentSuite, refuseDefault } from "./rules.ts";
import type { SuiteStore } from "./store.ts";

export function suiteRoutes(store: SuiteStore): Route[] {
  return [
    route(operations.suites.list, async ({ project, query }) => {
      const page = await store.list(project.id, pageRequest("ste", query.pageSize, query.pageToken));
      return { testSuites: page.items.map(presentSuite), nextPageToken: page.next };
    }),

    route(operations.suites.create, async ({ project, body }) => ({
      testSuite: presentSuite(await store.create(project.id, body.name)),
    })),

    route(operations.suites.get, async ({ project, params }) => ({
      testSuite: presentSuite(await store.get(project.id, params.suiteId)),
    })),

    route(operations.suites.edit, async ({ project, params, body }) => ({
      testSuite: presentSuite(await store.rename(project.id, params.suiteId, body.name)),
    })),

    route(operations.suites.delete, async ({ project, params }) => {
      const suite = await store.get(project.id, params.suiteId);
      refuseDefault(suite);
      await store.delete(suite.id);
    }),
  ];
}
