import type { TestSuite } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import type { Routes } from "../../http/operation.ts";
import { pageRequest } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { SuiteRow, SuiteStore } from "./store.ts";

export type TestsOfSuites = {
  /** Returns the number of tests by suite. A suite without tests is not in the map. */
  countOfSuites: (suiteIds: readonly string[]) => Promise<Map<string, number>>;
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

function presentSuite(row: SuiteRow, testCount: number): z.infer<typeof TestSuite> {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    isDefault: row.is_default === 1,
    testCount,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function refuseDefault(suite: SuiteRow): void {
  if (suite.is_default === 0) return;
  throw new AppError(
    "conflict",
    "The default suite cannot be deleted, because tests without a suite belong to it. Delete its tests instead.",
  );
}
