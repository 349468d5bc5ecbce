import { LIMITS } from "@svc/contract";
import { AppError } from "../../errors.ts";
import type { ProjectPersona } from "../../personas/persona.ts";
import type { PersonaStore } from "../../personas/store.ts";
import type { SuiteStore } from "../../suites/store.ts";
import type { VersionOfTest } from "../../test-definitions/stored-test.ts";
import type { TestStore } from "../../test-definitions/store.ts";
import type { PlannedTest } from "./forecast.ts";

export type TestStores = { tests: TestStore; suites: SuiteStore; personas: PersonaStore };

/** A suite, or test versions by their ids. */
export type TestSelection = { suiteId?: string | undefined; testVersions?: string[] | undefined };

/** Returns the selected test versions, each with its personas or the project's default; refuses an empty selection. */
export async function pinTests(
  stores: TestStores,
  projectId: string,
  { suiteId, testVersions }: TestSelection,
): Promise<PlannedTest[]> {
  if ((suiteId === undefined) === (testVersions === undefined)) {
    throw new AppError("unprocessable", "Name either a suite or test versions.");
  }
  const pinned = testVersions
    ? await Promise.all([...new Set(testVersions)].map((id) => stores.tests.getVersion(projectId, id)))
    : await testsOfSuite(stores, projectId, suiteId!);
  if (pinned.length === 0) {
    throw new AppError("unprocessable", "The suite has no tests; create one with `svc tests create`.");
  }
  return withPersonas(stores, projectId, pinned);
}

async function testsOfSuite(
  { suites, tests }: TestStores,
  projectId: string,
  suiteId: string,
): Promise<VersionOfTest[]> {
  const suite = await suites.get(projectId, suiteId);
  const { items, next } = await tests.list(projectId, suite.id, { limit: LIMITS.runTestVersions, before: undefined });
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
