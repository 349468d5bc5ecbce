import { LIMITS } from "@svc/contract";
import { AppError } from "../../errors.ts";
import type { ProjectPersona } from "../../personas/persona.ts";
import type { PersonaStore } from "../../personas/store.ts";
import type { SuiteRow } from "../../suites/rules.ts";
import type { SuiteStore } from "../../suites/store.ts";
import type { VersionOfTest } from "../../test-definitions/stored-test.ts";
import type { TestStore } from "../../test-definitions/store.ts";
import type { PlannedTest } from "./forecast.ts";

export type TestStores = { tests: TestStore; suites: SuiteStore; personas: PersonaStore };

/** A suite, or test versions by their ids. */
export type TestSelection = { suiteId?: string | undefined; testVersions?: string[] | undefined };

/** The tests of a run, and the suite that the request names. */
export type PinnedTests = { suite: SuiteRow | undefined; tests: PlannedTest[] };

/** Returns the selected test versions, each with its personas or the project's default; refuses an empty selection. */
export async function pinTests(
  stores: TestStores,
  projectId: string,
  { suiteId, testVersions }: TestSelection,
): Promise<PinnedTests> {
  if ((suiteId === undefined) === (testVersions === undefined)) {
    throw new AppError("unprocessable", "Name either a suite or test versions.");
  }
  const suite = suiteId === undefined ? undefined : await stores.suites.get(projectId, suiteId);
  const pinned = suite
    ? await testsOfSuite(stores, suite)
    : await Promise.all([...new Set(testVersions)].map((id) => stores.tests.getVersion(projectId, id)));
  if (pinned.length === 0) {
    throw new AppError("unprocessable", "The suite has no tests; create one with `svc tests create`.");
  }
  return { suite, tests: await withPersonas(stores, projectId, pinned) };
}

async function testsOfSuite({ tests }: TestStores, suite: SuiteRow): Promise<VersionOfTest[]> {
  const page = { limit: LIMITS.runTestVersions, before: undefined };
  const { items, next } = await tests.list(suite.project_id, suite.id, page);
  if (next === null) return items.toReversed().map((test) => ({ record: test, version: test.current }));
  throw new AppError(
    "unprocessable",
    `The suite has more than ${LIMITS.runTestVersions} tests; name test versions instead.`,
  );
}

async function withPersonas(
  { personas }: TestStores,
  projectId: string,
  pinned: readonly VersionOfTest[],
): Promise<PlannedTest[]> {
  const reads = new Map<string, Promise<ProjectPersona>>();
  const readOnce = (id: string) => {
    if (!reads.has(id)) reads.set(id, personas.get(projectId, id));
    return reads.get(id)!;
  };
  const defaultId = await personas.defaultId(projectId);
  return Promise.all(
    pinned.map(async (one) => {
      const ids = one.version.content.persona_ids;
      return { pinned: one, personas: await Promise.all((ids.length > 0 ? ids : [defaultId]).map(readOnce)) };
    }),
  );
}
