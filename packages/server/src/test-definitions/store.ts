import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import type { PersonaStore } from "../personas/store.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import type { SuiteRow } from "../suites/rules.ts";
import type { SuiteStore } from "../suites/store.ts";
import {
  type Content,
  type CurrentTest,
  type DecideEdit,
  namesOtherPersonas,
  type NewTest,
  type TestRow,
  type VersionOfTest,
  type VersionRow,
  type Write,
  type Written,
} from "./rules.ts";

export type TestStore = ReturnType<typeof openTestStore>;

export function openTestStore(db: Db, suites: Pick<SuiteStore, "named">, personas: Pick<PersonaStore, "idsOf">) {
  return {
    /** Creates the test in the suite of this id or name, or in the default one. */
    create: (projectId: string, suite: string | undefined, test: NewTest): Promise<CurrentTest> =>
      writing(async (tx) => insert(tx, await suites.named(tx, projectId, suite), test)),

    /** Reads the test, lets `decide` say what changes, and writes that, all in one transaction. */
    edit: (projectId: string, id: string, decide: DecideEdit): Promise<CurrentTest> =>
      writing((tx) => change(tx, projectId, id, decide)),

    /** Writes all in one transaction, or none; with `dryRun` none, once all were accepted. New ones go into the suite. */
    async import(
      projectId: string,
      named: string | undefined,
      writes: readonly Write[],
      dryRun: boolean,
    ): Promise<Written[]> {
      const written: Written[] = [];
      const all = writing(async (tx) => {
        const suite = await suites.named(tx, projectId, named);
        for (const write of writes) {
          if ("content" in write) written.push({ before: undefined, after: await insert(tx, suite, write) });
          else {
            const before = await currentTest(tx, projectId, write.id);
            written.push({ before, after: await change(tx, projectId, write.id, write.decide) });
          }
        }
        if (dryRun) throw new DryRun();
      });
      await all.catch((error: unknown) => {
        if (!(error instanceof DryRun)) throw error;
      });
      return written;
    },

    get: (projectId: string, id: string) => currentTest(db, projectId, id),

    async list(
      projectId: string,
      suiteId: string | undefined,
      page: PageRequest,
    ): Promise<Page<CurrentTest & { id: string }>> {
      let query = db
        .selectFrom("tests")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null);
      if (suiteId) query = query.where("suite_id", "=", suiteId);
      const { items, next } = await readPage(query, page);
      const versions = await versionsById(items.map((test) => test.current_version_id));
      return {
        items: items.map((test) => ({ id: test.id, test, version: versions.get(test.current_version_id)! })),
        next,
      };
    },

    async versions(projectId: string, id: string, page: PageRequest): Promise<Page<VersionOfTest & { id: string }>> {
      const test = await anyTest(db, projectId, id);
      const versions = db.selectFrom("test_versions").selectAll().where("test_id", "=", id);
      const { items, next } = await readPage(versions, page);
      return { items: items.map((version) => ({ id: version.id, test, version })), next };
    },

    async version(projectId: string, id: string): Promise<VersionOfTest> {
      const version = await db
        .selectFrom("test_versions")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow(notFound);
      return { version, test: await anyTest(db, projectId, version.test_id) };
    },

    async delete(projectId: string, id: string): Promise<void> {
      const deleted = await db
        .updateTable("tests")
        .set({ deleted_at: new Date().toISOString() })
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (deleted.numUpdatedRows === 0n) throw notFound();
    },
  };

  function writing<T>(write: (tx: Db) => Promise<T>): Promise<T> {
    return transaction(db, write).catch(refuseTakenName);
  }

  async function insert(
    tx: Db,
    { id: suiteId, project_id: projectId }: SuiteRow,
    { name, content }: NewTest,
  ): Promise<CurrentTest> {
    const now = new Date().toISOString();
    const id = newId("tst");
    const personaIds = JSON.stringify(await personas.idsOf(tx, projectId, content.personas));
    const version = versionRow(id, 1, content, personaIds, now);
    const test: TestRow = {
      id,
      project_id: projectId,
      suite_id: suiteId,
      name,
      current_version_id: version.id,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
    await tx.insertInto("tests").values(test).execute();
    await tx.insertInto("test_versions").values(version).execute();
    return { test, version };
  }

  async function change(tx: Db, projectId: string, id: string, decide: DecideEdit): Promise<CurrentTest> {
    const current = await currentTest(tx, projectId, id);
    const { name, content } = decide(current);
    if (name === undefined && content === undefined) return current;
    const now = new Date().toISOString();
    const version = content ? await nextVersion(tx, projectId, current.version, content, now) : current.version;
    if (content) await tx.insertInto("test_versions").values(version).execute();
    const test = await tx
      .updateTable("tests")
      .set({ name: name ?? current.test.name, current_version_id: version.id, updated_at: now })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { test, version };
  }

  async function nextVersion(tx: Db, projectId: string, current: VersionRow, content: Content, now: string) {
    const personaIds = namesOtherPersonas(current, content)
      ? JSON.stringify(await personas.idsOf(tx, projectId, content.personas))
      : current.persona_ids;
    return versionRow(current.test_id, current.version + 1, content, personaIds, now);
  }

  async function versionsById(ids: string[]): Promise<Map<string, VersionRow>> {
    if (ids.length === 0) return new Map();
    const rows = await db.selectFrom("test_versions").selectAll().where("id", "in", ids).execute();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

async function anyTest(db: Db, projectId: string, id: string): Promise<TestRow> {
  return db
    .selectFrom("tests")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);
}

async function currentTest(db: Db, projectId: string, id: string): Promise<CurrentTest> {
  const test = await anyTest(db, projectId, id);
  if (test.deleted_at !== null) throw notFound();
  const version = await db
    .selectFrom("test_versions")
    .selectAll()
    .where("id", "=", test.current_version_id)
    .executeTakeFirstOrThrow();
  return { test, version };
}

function versionRow(testId: string, version: number, content: Content, personaIds: string, now: string): VersionRow {
  return {
    id: newId("tstv"),
    test_id: testId,
    version,
    scenario: content.scenario,
    expected_behaviors: JSON.stringify(content.expected_behaviors),
    personas: JSON.stringify(content.personas),
    persona_ids: personaIds,
    mock_tools: JSON.stringify(content.mock_tools),
    created_at: now,
  };
}

const refuseTakenName = refuseTaken("Another test of the project has this name; choose another.");

/** Takes a transaction back that would have been accepted. */
class DryRun extends Error {}
