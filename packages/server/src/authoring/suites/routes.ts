import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import { presentSuite } from "./present.ts";
import { refuseDefault, type SuiteRow } from "./rules.ts";
import type { SuiteStore } from "./store.ts";

/** The tests of suites; the feature of tests owns them. */
export type TestsOfSuites = {
  /** Returns the number of tests of each suite; a suite without tests is not in the map. */
  countOfSuites: (suiteIds: readonly string[]) => Promise<Map<string, number>>;
  /** Deletes the tests of a suite in the transaction that deletes the suite. */
  deleteOfSuite: (tx: Db, suiteId: string) => Promise<void>;
};

export function suiteRoutes(store: SuiteStore, tests: TestsOfSuites): Routes<"suites"> {
  async function presentAll(suites: readonly SuiteRow[]) {
    const counts = await tests.countOfSuites(suites.map(({ id }) => id));
    return suites.map((suite) => presentSuite(suite, counts.get(suite.id) ?? 0));
  }

  const answer = async (suite: SuiteRow) => ({ testSuite: (await presentAll([suite]))[0]! });

  return {
    suites: {
      list: async ({ project, query }) => {
        const page = await store.list(project.id, pageRequest("ste", query.pageSize, query.pageToken));
        return { testSuites: await presentAll(page.items), nextPageToken: page.next };
      },

      create: async ({ project, body }) => answer(await store.create(project.id, body.name)),

      get: async ({ project, params }) => answer(await store.get(project.id, params.suiteId)),

      edit: async ({ project, params, body }) => answer(await store.rename(project.id, params.suiteId, body.name)),

      delete: async ({ project, params }) => {
        const suite = await store.get(project.id, params.suiteId);
        refuseDefault(suite);
        await store.delete(project.id, suite.id, (tx) => tests.deleteOfSuite(tx, suite.id));
      },
    },
  };
}
