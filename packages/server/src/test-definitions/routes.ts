import type { Routes } from "../http/operation.ts";
import { pageRequest } from "../stores/page.ts";
import type { SuiteStore } from "../suites/store.ts";
import { presentImported, presentSuiteTest, presentTest, presentVersion } from "./present.ts";
import { decideEdit, decideImport } from "./rules.ts";
import type { TestStore } from "./store.ts";

export function testRoutes(store: TestStore, suites: SuiteStore): Routes<"tests"> {
  return {
    tests: {
      create: async ({ project, body }) => {
        const { name, scenario, expected_behaviors, personas = [], mock_tools = [] } = body;
        const content = { scenario, expected_behaviors, personas, mock_tools };
        return presentTest(await store.create(project.id, body.suite, { name, content }));
      },

      edit: async ({ project, params, body }) =>
        presentTest(await store.edit(project.id, params.testId, (current) => decideEdit(current, body))),

      import: async ({ project, body }) => {
        const isDryRun = body.dry_run === true;
        const written = await store.import(project.id, body.suite, body.tests.map(decideImport), isDryRun);
        return { tests: written.map((test) => presentImported(test, isDryRun)) };
      },

      list: async ({ project, query }) => {
        const page = await store.list(project.id, undefined, pageRequest("tst", query.limit, query.cursor));
        return { items: page.items.map(presentTest), next_cursor: page.next };
      },

      get: async ({ project, params }) => presentTest(await store.get(project.id, params.testId)),

      versions: async ({ project, params, query }) => {
        const page = await store.listVersions(
          project.id,
          params.testId,
          pageRequest("tstv", query.limit, query.cursor),
        );
        return { items: page.items.map(presentVersion), next_cursor: page.next };
      },

      delete: async ({ project, params }) => store.delete(project.id, params.testId),

      version: async ({ project, params }) => presentVersion(await store.getVersion(project.id, params.versionId)),

      listOfSuite: async ({ project, query }) => {
        const suite = await suites.get(project.id, query.suiteId);
        const page = await store.list(project.id, suite.id, pageRequest("tst", query.pageSize, query.pageToken));
        return { tests: page.items.map(presentSuiteTest), nextPageToken: page.next };
      },
    },
  };
}
