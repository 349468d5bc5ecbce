import { LIMITS } from "@svc/contract";
import type { ProjectPersona } from "../../authoring/personas/persona.ts";
import type { PersonaStore } from "../../authoring/personas/store.ts";
import type { SuiteRow, SuiteStore } from "../../authoring/suites/store.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import type { VersionOfTest } from "../../authoring/test-definitions/stored-test.ts";
import { AppError } from "../../base/errors.ts";
import type { PlannedTest } from "./forecast.ts";
import type { PlayedPair, ReadPlayedPairs } from "./played-pairs.ts";

export type TestStores = {
  tests: TestStore;
  suites: SuiteStore;
  personas: Pick<PersonaStore, "get" | "defaultId" | "resolve">;
  readPlayedPairs: ReadPlayedPairs;
};

/** Selection of tests by suite, by tags or by the ids of test versions. Other members restrict the pairs of test and persona. */
export type TestSelection = {
  suiteId?: string | undefined;
  testVersions?: string[] | undefined;
  tags?: string[] | undefined;
  /** Names or ids of the personas that replace the personas of each test. */
  personas?: string[] | undefined;
  /** Id of an earlier run. Only the pairs that this run played and that did not pass are selected. */
  notPassedIn?: string | undefined;
  /** Pairs of an earlier run, and its suite. When `repeated` is set, all other members are ignored. */
  repeated?: { suite: SuiteOfRun | undefined; pairs: readonly PlayedPair[] } | undefined;
};

type SuiteOfRun = Pick<SuiteRow, "id" | "name">;

/** The tests of a run in fixed versions. `suite` is undefined when the run was not started from a suite. */
type PinnedTests = { suite: SuiteOfRun | undefined; tests: PlannedTest[] };

/**
 * Chooses the tests of a run, and their versions and personas. A test without personas gets the project's default persona. Throws
 * `unprocessable` for an empty selection.
 */
export async function pinTests(stores: TestStores, projectId: string, selection: TestSelection): Promise<PinnedTests> {
  const { notPassedIn, repeated } = selection;
  if (repeated !== undefined) {
    const cells = await cellsOf(stores, projectId, repeated.pairs);
    return { suite: repeated.suite, tests: await withPersonas(stores, projectId, cells) };
  }
  const { suite, pinned } = await selectTests(stores, projectId, selection);
  const calling = selection.personas && (await stores.personas.resolve(projectId, selection.personas));
  const defaultId = await stores.personas.defaultId(projectId);
  const cells = pinned.map((one) => {
    const own = one.version.content.persona_ids;
    return { pinned: one, personaIds: calling ?? (own.length > 0 ? own : [defaultId]) };
  });
  const left =
    notPassedIn === undefined ? cells : withoutPassed(cells, await stores.readPlayedPairs(projectId, notPassedIn));
  if (left.length === 0) {
    throw new AppError(
      "unprocessable",
      `All of this passed in the run ${notPassedIn}. Start a run without \`notPassedIn\`.`,
    );
  }
  return { suite, tests: await withPersonas(stores, projectId, left) };
}

type Cells = { pinned: VersionOfTest; personaIds: readonly string[] };

async function selectTests(
  stores: TestStores,
  projectId: string,
  { suiteId, testVersions, tags }: TestSelection,
): Promise<{ suite: SuiteRow | undefined; pinned: VersionOfTest[] }> {
  if (tags === undefined && (suiteId === undefined) === (testVersions === undefined)) {
    throw new AppError("unprocessable", "Name either a suite or test versions.");
  }
  if (testVersions !== undefined) {
    if (tags !== undefined || suiteId !== undefined)
      throw new AppError("unprocessable", "Name test versions without `suiteId` and `tags`.");
    const ids = [...new Set(testVersions)];
    return { suite: undefined, pinned: await Promise.all(ids.map((id) => stores.tests.getVersion(projectId, id))) };
  }
  const suite = suiteId === undefined ? undefined : await stores.suites.get(projectId, suiteId);
  const page = { limit: LIMITS.runTestVersions, before: undefined };
  const { items, next } = await stores.tests.list(projectId, { suiteId, tags }, page);
  if (next !== null) {
    const owner = suite === undefined ? "The project" : "The suite";
    const such = tags === undefined ? "" : " with these tags";
    const message = `${owner} has more than ${LIMITS.runTestVersions} tests${such}; name test versions instead.`;
    throw new AppError("unprocessable", message);
  }
  if (items.length === 0) {
    const message =
      tags === undefined
        ? "The suite has no tests; create one with `svc tests create`."
        : `No test of the ${suite === undefined ? "project" : "suite"} has the tag ${tags.join(" or ")}; add it with \`svc tests tag\`.`;
    throw new AppError("unprocessable", message);
  }
  return { suite, pinned: items.toReversed().map((test) => ({ record: test, version: test.current })) };
}

async function cellsOf({ tests }: TestStores, projectId: string, pairs: readonly PlayedPair[]): Promise<Cells[]> {
  const versions = Map.groupBy(pairs, ({ testVersionId }) => testVersionId);
  return Promise.all(
    [...versions].map(async ([id, all]) => ({
      pinned: await tests.getVersion(projectId, id),
      personaIds: all.map(({ personaId }) => personaId),
    })),
  );
}

/** Removes the pairs of test and persona that passed in an earlier run, and the pairs that the earlier run did not play. */
function withoutPassed(cells: readonly Cells[], played: readonly PlayedPair[]): Cells[] {
  const keyOf = (testId: string, personaId: string) => `${testId} ${personaId}`;
  const notPassed = new Set(played.flatMap((pair) => (pair.passed ? [] : keyOf(pair.testId, pair.personaId))));
  return cells
    .map(({ pinned, personaIds }) => ({
      pinned,
      personaIds: personaIds.filter((personaId) => notPassed.has(keyOf(pinned.record.id, personaId))),
    }))
    .filter(({ personaIds }) => personaIds.length > 0);
}

async function withPersonas(
  { personas }: TestStores,
  projectId: string,
  cells: readonly Cells[],
): Promise<PlannedTest[]> {
  const reads = new Map<string, Promise<ProjectPersona>>();
  const readOnce = (id: string) => {
    if (!reads.has(id)) reads.set(id, personas.get(projectId, id));
    return reads.get(id)!;
  };
  return Promise.all(
    cells.map(async ({ pinned, personaIds }) => ({ pinned, personas: await Promise.all(personaIds.map(readOnce)) })),
  );
}
