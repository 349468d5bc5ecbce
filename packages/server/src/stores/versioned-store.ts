import { type Expression, sql, type SqlBool } from "kysely";
import { notFound } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Change, ShippedRecord, Version, VersionedRecord, VersionWithRecord } from "../base/versions.ts";
import { type Page, pageOf, type PageRequest, readPage } from "./page.ts";
import { projectOfRow } from "./project-of-row.ts";
import { type Db, refuseTaken } from "./relational.ts";
import type { Schema } from "./schema.ts";
import { transaction } from "./transaction.ts";

/** Tables of records with versions. The features that own these tables write them through `createVersionedStore`. */
const TABLES = {
  tests: { versions: "test_versions", recordId: "test_id", archivedAt: "deleted_at", prefix: "tst" },
  personas: { versions: "persona_versions", recordId: "persona_id", archivedAt: "archived_at", prefix: "prs" },
  graders: { versions: "grader_versions", recordId: "grader_id", archivedAt: "archived_at", prefix: "grd" },
} as const;

type Table = keyof typeof TABLES;
type VersionRow<T extends Table> = Schema[(typeof TABLES)[T]["versions"]];
type ContentColumns<T extends Table> = Omit<
  VersionRow<T>,
  "id" | "version" | "created_at" | (typeof TABLES)[T]["recordId"]
>;

export type StoredRecord<T extends Table, Content> = Schema[T] & { current: Version<Content> };

type Kind<T extends Table, Content, S extends ShippedRecord<Content>, R> = {
  table: T;
  nameTaken: string;
  columnsOfName?: (name: string) => Partial<Schema[T]>;
  columnsOfContent: (content: Content) => ContentColumns<T>;
  contentOf: (row: VersionRow<T>) => Content;
  /** Newest first. */
  shipped: readonly S[];
  /** Returns the records with the data that the feature stores about these records in other tables. */
  complete: (records: (StoredRecord<T, Content> | S)[], db: Db, projectId: string) => Promise<R[]>;
};

type Filter<S> = {
  archived: boolean;
  where?: Expression<SqlBool> | undefined;
  /** Returns whether a list includes this shipped record. A list of archived records includes no shipped record. */
  hasShipped?: (record: S) => boolean;
};

type Decide<R, Decision> = (current: R) => Decision | Promise<Decision>;

/**
 * Creates the store for one kind of record. The content of a record is in versions, which never change. The first argument of each
 * function is the database, or the transaction in which the function runs.
 */
export function createVersionedStore<
  T extends Table,
  Content,
  S extends ShippedRecord<Content>,
  R extends VersionedRecord<Content>,
>({
  table: ownTable,
  nameTaken,
  columnsOfName = () => ({}),
  columnsOfContent,
  contentOf,
  shipped,
  complete,
}: Kind<T, Content, S, R>) {
  const table: Table = ownTable;
  const { versions, recordId, archivedAt, prefix } = TABLES[table];

  return {
    get,

    /** A shipped record belongs to every project. */
    findProjects,

    /** A version of a shipped record belongs to every project. */
    async findProjectsOfVersion(db: Db, id: string, projects: readonly { id: string }[]): Promise<readonly string[]> {
      const ofShipped = shipped.find((record) => record.versions.some((version) => version.id === id));
      if (ofShipped) return findProjects(db, ofShipped.id, projects);
      const row = await db.selectFrom(versions).selectAll().where("id", "=", id).executeTakeFirst();
      return row ? findProjects(db, row[recordId], projects) : [];
    },

    change: <Result>(db: Db, projectId: string, work: (tx: Db) => Promise<Result>): Promise<Result> =>
      transaction(db, projectId, work).catch(refuseTaken(nameTaken)),

    /** Newest first; the shipped records come last. */
    async list(
      db: Db,
      projectId: string,
      page: PageRequest,
      { archived, where, hasShipped = () => true }: Filter<S>,
    ): Promise<Page<R>> {
      let query = rowsOf(db, projectId).where(sql.ref(archivedAt), archived ? "is not" : "is", null);
      if (where) query = query.where(where);
      const { items, next } = await readPage(query, page);
      const own = await withVersions(db, items as Schema[T][]);
      const showsShipped = next === null && !archived;
      const more = showsShipped ? shipped.filter((record) => isAfter(page, record) && hasShipped(record)) : [];
      const records = await complete([...own, ...more], db, projectId);
      return showsShipped ? pageOf(records, page.limit) : { items: records, next };
    },

    async listVersions(db: Db, { id }: R, page: PageRequest): Promise<Page<R["current"]>> {
      const ofShipped = shipped.find((record) => record.id === id)?.versions;
      if (ofShipped) {
        const after = ofShipped.filter((version) => isAfter(page, version));
        return pageOf(after, page.limit);
      }
      const query = db.selectFrom(versions).selectAll().where(sql.ref(recordId), "=", id);
      const { items, next } = await readPage(query, page);
      return { items: (items as VersionRow<T>[]).map(versionOf), next };
    },

    async getVersion(db: Db, projectId: string, id: string): Promise<VersionWithRecord<R>> {
      for (const record of shipped) {
        const version = record.versions.find((candidate) => candidate.id === id);
        if (version) return { record: await get(db, projectId, record.id), version };
      }
      const row = await db.selectFrom(versions).selectAll().where("id", "=", id).executeTakeFirstOrThrow(notFound);
      return { record: await get(db, projectId, row[recordId]), version: versionOf(row as VersionRow<T>) };
    },

    /** `columns` are the columns that only this kind of record has. */
    async create(
      tx: Db,
      projectId: string,
      { name, content, columns = {} }: { name: string; content: Content; columns?: Partial<Schema[T]> },
    ): Promise<R> {
      const now = new Date().toISOString();
      const id = newId(prefix);
      const version = versionRow(id, 1, content, now);
      const row = { id, project_id: projectId, name, current_version_id: version.id, created_at: now, updated_at: now };
      await tx
        .insertInto(table)
        .values({ ...row, ...columnsOfName(name), ...columns })
        .execute();
      await tx.insertInto(versions).values(version).execute();
      return get(tx, projectId, id);
    },

    /** A change of the content creates a new version. */
    async edit(tx: Db, projectId: string, id: string, decide: Decide<R, Change<Content>>): Promise<R> {
      const before = await get(tx, projectId, id);
      const { name = before.name, content } = await decide(before);
      if (name === before.name && content === undefined) return before;
      const now = new Date().toISOString();
      const version = content && versionRow(id, before.current.version + 1, content, now);
      if (version) await tx.insertInto(versions).values(version).execute();
      const current_version_id = version?.id ?? before.current.id;
      await tx
        .updateTable(table)
        .set({ name, current_version_id, updated_at: now, ...columnsOfName(name) })
        .where("id", "=", id)
        .execute();
      return get(tx, projectId, id);
    },

    async archive(tx: Db, projectId: string, id: string, decide: Decide<R, boolean>): Promise<R> {
      const before = await get(tx, projectId, id);
      if (!(await decide(before))) return before;
      const now = new Date().toISOString();
      const columns = { [archivedAt]: now, updated_at: now };
      await tx.updateTable(table).set(columns).where("id", "=", id).execute();
      return get(tx, projectId, id);
    },

    async restore(tx: Db, projectId: string, id: string, decide: Decide<R, string | undefined>): Promise<R> {
      const before = await get(tx, projectId, id);
      const name = await decide(before);
      if (name === undefined) return before;
      const columns = { [archivedAt]: null, updated_at: new Date().toISOString(), ...columnsOfName(name) };
      await tx
        .updateTable(table)
        .set({ name, ...columns })
        .where("id", "=", id)
        .execute();
      return get(tx, projectId, id);
    },
  };

  async function findProjects(db: Db, id: string, projects: readonly { id: string }[]): Promise<readonly string[]> {
    if (shipped.some((record) => record.id === id)) return projects.map((project) => project.id);
    return projectOfRow(db, table, id);
  }

  /** Returns the shipped record or the record of the project with this id, even if it is archived. */
  async function get(db: Db, projectId: string, id: string): Promise<R> {
    const record = shipped.find((candidate) => candidate.id === id) ?? (await getStored(db, projectId, id));
    const [completed] = await complete([record], db, projectId);
    return completed!;
  }

  async function getStored(db: Db, projectId: string, id: string): Promise<StoredRecord<T, Content>> {
    const row = await rowsOf(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
    const [record] = await withVersions(db, [row as Schema[T]]);
    return record!;
  }

  function rowsOf(db: Db, projectId: string) {
    return db.selectFrom(table).selectAll().where("project_id", "=", projectId);
  }

  async function withVersions(db: Db, rows: readonly Schema[T][]): Promise<StoredRecord<T, Content>[]> {
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.current_version_id);
    const currentRows = await db.selectFrom(versions).selectAll().where("id", "in", ids).execute();
    const current = new Map((currentRows as VersionRow<T>[]).map((row) => [row.id, versionOf(row)]));
    return rows.map((row) => ({ ...row, current: current.get(row.current_version_id)! }));
  }

  function versionOf(row: VersionRow<T>): Version<Content> {
    return { id: row.id, version: row.version, content: contentOf(row), created_at: row.created_at };
  }

  function versionRow(id: string, version: number, content: Content, now: string) {
    return { id: newId(`${prefix}v`), [recordId]: id, version, created_at: now, ...columnsOfContent(content) };
  }
}

const isAfter = ({ before }: PageRequest, { id }: { id: string }): boolean => before === undefined || id < before;
