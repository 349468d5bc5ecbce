import { sql } from "kysely";
import type { FindProjects } from "../../access/projects.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { dialectOf } from "../../stores/dialect.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import { createVersionedStore } from "../../stores/versioned-store.ts";
import type { Issue } from "../../http/refusal.ts";
import type { TestsOfPersonas } from "../personas/routes.ts";
import type { PersonaStore } from "../personas/store.ts";
import type { TestsOfSuites } from "../suites/routes.ts";
import type { SuiteRow, SuiteStore } from "../suites/store.ts";
import {
  type DecideTestEdit,
  issuesOfTest,
  type NewTest,
  otherSuite,
  refuseIssues,
  replacesPersonas,
  type TestWrite,
  type WrittenTest,
} from "./rules.ts";
import type { FrozenContent, StoredTest, VersionOfTest } from "./stored-test.ts";

export type ImportOptions = {
  /** Id or name of the suite for new tests that name no suite. Without it, they get the project's default suite. */
  suite: string | undefined;
  createsSuites: boolean;
  isDryRun: boolean;
};

type TestFilter = { suiteId?: string | undefined; tags?: readonly string[] | undefined };

export type TestStore = TestsOfSuites &
  TestsOfPersonas & {
    /** Throws `not_found` for a test that is deleted or of another project. */
    get: (projectId: string, id: string) => Promise<StoredTest>;
    /** Returns the project of a test, even of a deleted one, by the test's id. */
    findProjects: FindProjects;
    findProjectsOfVersion: FindProjects;
    /** Newest first. With tags in the filter, the tests that have at least one of these tags. */
    list: (projectId: string, filter: TestFilter, page: PageRequest) => Promise<Page<StoredTest>>;
    /** Newest first. The test may be deleted. */
    listVersions: (projectId: string, id: string, page: PageRequest) => Promise<Page<VersionOfTest>>;
    /** The test may be deleted. Throws `not_found` for a version of another project. */
    getVersion: (projectId: string, id: string) => Promise<VersionOfTest>;
    mapVersionNumbers: (versionIds: readonly string[]) => Promise<Map<string, number>>;
    create: (projectId: string, suite: string | undefined, test: NewTest) => Promise<StoredTest>;
    edit: (projectId: string, id: string, decide: DecideTestEdit) => Promise<StoredTest>;
    /** Writes all tests in one transaction. A dry run checks all tests and writes none. Throws one error with the issues of all tests. */
    import: (projectId: string, writes: readonly TestWrite[], options: ImportOptions) => Promise<WrittenTest[]>;
    /** Tags are not part of a version. Throws `not_found` for a test that is deleted or of another project. */
    setTags: (projectId: string, id: string, tags: readonly string[]) => Promise<StoredTest>;
    /** Deletes the test and keeps its versions. Throws `not_found` for a test that is deleted or of another project. */
    delete: (projectId: string, id: string) => Promise<void>;
  };

/** A mock tool in a stored version. Versions from before the contract gave `delay_ms` a default may lack this member. */
type StoredMockTool = Omit<FrozenContent["mock_tools"][number], "delay_ms"> & { delay_ms?: number };

const tests = createVersionedStore({
  table: "tests",
  nameTaken: "Another test of the project has this name; choose another.",
  columnsOfContent: ({ scenario, expected_behaviors, personas, persona_ids, mock_tools }: FrozenContent) => ({
    scenario,
    expected_behaviors: JSON.stringify(expected_behaviors),
    personas: JSON.stringify(personas),
    persona_ids: JSON.stringify(persona_ids),
    mock_tools: JSON.stringify(mock_tools),
  }),
  contentOf: ({ scenario, expected_behaviors, personas, persona_ids, mock_tools }) => ({
    scenario,
    expected_behaviors: JSON.parse(expected_behaviors),
    personas: JSON.parse(personas),
    persona_ids: JSON.parse(persona_ids),
    mock_tools: (JSON.parse(mock_tools) as StoredMockTool[]).map((mock) => ({ ...mock, delay_ms: mock.delay_ms ?? 0 })),
  }),
  shipped: [],
  complete: async (records) => records,
});

export function createTestStore(
  db: Db,
  suites: Pick<SuiteStore, "resolve" | "resolveOrCreate">,
  personas: Pick<PersonaStore, "idsOf">,
): TestStore {
  return {
    async get(projectId, id) {
      const test = await tests.get(db, projectId, id);
      refuseDeleted(test);
      return test;
    },

    findProjects: (id, projects) => tests.findProjects(db, id, projects),
    findProjectsOfVersion: (id, projects) => tests.findProjectsOfVersion(db, id, projects),

    list: (projectId, filter, page) => tests.list(db, projectId, page, { archived: false, where: matches(db, filter) }),

    async listVersions(projectId, id, page) {
      const record = await tests.get(db, projectId, id);
      const { items, next } = await tests.listVersions(db, record, page);
      return { items: items.map((version) => ({ record, version })), next };
    },

    getVersion: (projectId, id) => tests.getVersion(db, projectId, id),

    async mapVersionNumbers(versionIds) {
      if (versionIds.length === 0) return new Map();
      const ids = [...new Set(versionIds)];
      const rows = await db.selectFrom("test_versions").select(["id", "version"]).where("id", "in", ids).execute();
      return new Map(rows.map(({ id, version }) => [id, version]));
    },

    create: (projectId, suite, test) =>
      tests.change(db, projectId, async (tx) => insert(tx, await suites.resolve(tx, projectId, suite), test)),

    edit: (projectId, id, decide) => tests.change(db, projectId, (tx) => edit(tx, projectId, id, decide)),

    async import(projectId, writes, { suite: defaultSuite, createsSuites, isDryRun }) {
      const written: WrittenTest[] = [];
      const suiteOf = (tx: Db, reference: string | undefined) =>
        createsSuites && reference !== undefined
          ? suites.resolveOrCreate(tx, projectId, reference)
          : suites.resolve(tx, projectId, reference);
      const writeOne = async (tx: Db, write: TestWrite, suiteOfNew: SuiteRow): Promise<WrittenTest> => {
        const suite = write.suite === undefined ? undefined : await suiteOf(tx, write.suite).catch(ofSuite);
        if ("create" in write) {
          const created = await insert(tx, suite ?? suiteOfNew, write.create());
          return { before: undefined, after: await tagged(tx, created, write.tags) };
        }
        const before = await tests.get(tx, projectId, write.id);
        if (suite !== undefined && suite.id !== before.suite_id) throw otherSuite();
        const edited = await edit(tx, projectId, write.id, write.decide);
        return { before, after: await tagged(tx, edited, write.tags) };
      };
      const all = tests.change(db, projectId, async (tx) => {
        const suite = await suiteOf(tx, defaultSuite);
        const issues: Issue[] = [];
        for (const [index, write] of writes.entries()) {
          try {
            written.push(await writeOne(tx, write, suite));
          } catch (error) {
            issues.push(...issuesOfTest(error, index));
          }
        }
        refuseIssues(issues);
        if (isDryRun) throw new DryRun();
      });
      await all.catch((error: unknown) => {
        if (!(error instanceof DryRun)) throw error;
      });
      return written;
    },

    setTags: (projectId, id, tags) =>
      tests.change(db, projectId, async (tx) => {
        const test = await tests.get(tx, projectId, id);
        refuseDeleted(test);
        return tagged(tx, test, tags);
      }),

    async delete(projectId, id) {
      await tests.change(db, projectId, (tx) =>
        tests.archive(tx, projectId, id, (test) => {
          refuseDeleted(test);
          return true;
        }),
      );
    },

    async countOfSuites(suiteIds) {
      if (suiteIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("tests")
        .select(["suite_id", (eb) => eb.fn.countAll<number>().as("count")])
        .where("suite_id", "in", suiteIds)
        .where("deleted_at", "is", null)
        .groupBy("suite_id")
        .execute();
      return new Map(rows.map(({ suite_id, count }) => [suite_id, count]));
    },

    async deleteOfSuite(tx, suiteId) {
      await tx
        .updateTable("tests")
        .set({ deleted_at: new Date().toISOString() })
        .where("suite_id", "=", suiteId)
        .where("deleted_at", "is", null)
        .execute();
    },

    listOfPersona: (projectId, personaId, page) =>
      readPage(
        db
          .selectFrom("tests")
          .innerJoin("test_versions", "test_versions.id", "tests.current_version_id")
          .select(["tests.id", "suite_id as suiteId", "name", "current_version_id as versionId"])
          .where("project_id", "=", projectId)
          .where("deleted_at", "is", null)
          .where(dialectOf(db).listHoldsAny("test_versions.persona_ids", [personaId])),
        page,
        "tests.id",
      ),
  };

  async function insert(tx: Db, suite: SuiteRow, { name, content, isUnlisted }: NewTest): Promise<StoredTest> {
    const persona_ids = await personas.idsOf(tx, suite.project_id, content.personas);
    const columns = { suite_id: suite.id, deleted_at: isUnlisted ? new Date().toISOString() : null };
    return tests.create(tx, suite.project_id, { name, content: { ...content, persona_ids }, columns });
  }

  async function tagged(tx: Db, test: StoredTest, tags: readonly string[] | undefined): Promise<StoredTest> {
    if (tags === undefined) return test;
    await tx
      .updateTable("tests")
      .set({ tags: JSON.stringify(tags) })
      .where("id", "=", test.id)
      .execute();
    return tests.get(tx, test.project_id, test.id);
  }

  async function edit(tx: Db, projectId: string, id: string, decide: DecideTestEdit): Promise<StoredTest> {
    return tests.edit(tx, projectId, id, async (test) => {
      refuseDeleted(test);
      const { name, content } = decide(test);
      if (content === undefined) return { name, content };
      const persona_ids = replacesPersonas(test, content)
        ? await personas.idsOf(tx, projectId, content.personas)
        : test.current.content.persona_ids;
      return { name, content: { ...content, persona_ids } };
    });
  }
}

function matches(db: Db, { suiteId, tags }: TestFilter) {
  const conditions = [sql<boolean>`TRUE`];
  if (suiteId !== undefined) conditions.push(sql`suite_id = ${suiteId}`);
  if (tags !== undefined) conditions.push(dialectOf(db).listHoldsAny("tags", tags));
  return sql.join<boolean>(conditions, sql` AND `);
}

function refuseDeleted(test: StoredTest): void {
  if (test.deleted_at !== null) throw notFound();
}

/** Adds the path `suite` to an `unprocessable` error, so that the author sees which member of the test is wrong. */
function ofSuite(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== "unprocessable") throw error;
  throw new AppError(error.code, error.message, { issues: [{ path: "suite", message: error.message }] });
}

/** Error that rolls back the transaction of a dry run after every write has succeeded. */
class DryRun extends Error {}
