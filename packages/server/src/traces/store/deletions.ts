import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { TraceSelection, VersionAttribute } from "./trace-store.ts";
import { digestOf, digestsOf } from "../erasure/deleted-conversations.ts";
import type { ProjectRetention } from "../erasure/retention.ts";

export type Deletion = { id: number; project: { id: string; number: number }; selection: TraceSelection };

type DeletionStore = {
  listDigests: () => Promise<Map<number, string[]>>;
  listUnfinished: () => Promise<Deletion[]>;
  /** Called before anything is erased. */
  create: (project: { id: string; number: number }, selection: TraceSelection) => Promise<Deletion>;
  /** Called once everything is erased; the digests stay. */
  finish: (deletion: Deletion) => Promise<void>;
  listRetentions: () => Promise<ProjectRetention[]>;
  findProject: (project: number) => Promise<string | undefined>;
  /** Adds dropped spans to the project's last deletion, and marks the traces as deleted. Returns undefined if there is no deletion. */
  recordDrop: (
    project: number,
    spans: number,
    traceIds: readonly string[],
  ) => Promise<{ id: string; organizationId: string } | undefined>;
};

const INSERT_ROWS = 400;

export function createDeletionStore(db: Db): DeletionStore {
  return {
    async listDigests() {
      const rows = await db
        .selectFrom("deleted_names")
        .innerJoin("projects", "projects.id", "project_id")
        .select(["projects.number as project", "digest"])
        .execute();
      const byProject = Map.groupBy(rows, ({ project }) => project);
      return new Map([...byProject].map(([project, names]) => [project, names.map(({ digest }) => digest)]));
    },

    async listUnfinished() {
      const rows = await db
        .selectFrom("deletions")
        .innerJoin("projects", "projects.id", "project_id")
        .select(["deletions.id as id", "project_id", "projects.number as number", "unfinished"])
        .where("unfinished", "is not", null)
        .orderBy("deletions.id")
        .execute();
      return rows.map(({ id, project_id, number, unfinished }) => ({
        id,
        project: { id: project_id, number },
        selection: JSON.parse(unfinished!) as TraceSelection,
      }));
    },

    create: (project, selection) =>
      transaction(db, project.id, async (tx) => {
        const { id } = await tx
          .insertInto("deletions")
          .values({
            project_id: project.id,
            deleted_at: new Date().toISOString(),
            unfinished: JSON.stringify(selection),
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        await insertDigests(tx, project.id, id, digestsOf(selection));
        return { id, project: { id: project.id, number: project.number }, selection };
      }),

    async finish({ id }) {
      await db.updateTable("deletions").set({ unfinished: null }).where("id", "=", id).execute();
    },

    async listRetentions() {
      const rows = await db
        .selectFrom("projects")
        .select(["id", "number", "retention_days as days"])
        .where("retention_days", "is not", null)
        .orderBy("number")
        .execute();
      return rows.map(({ id, number, days }) => ({ project: { id, number }, days: days! }));
    },

    async findProject(project) {
      const row = await db.selectFrom("projects").select("id").where("number", "=", project).executeTakeFirst();
      return row?.id;
    },

    async recordDrop(number, spans, traceIds) {
      const project = await db
        .selectFrom("projects")
        .select(["id", "organization_id as organizationId"])
        .where("number", "=", number)
        .executeTakeFirst();
      if (project === undefined) return undefined;
      return transaction(db, project.id, async (tx) => {
        const last = await tx
          .selectFrom("deletions")
          .select((eb) => eb.fn.max<number | null>("id").as("id"))
          .where("project_id", "=", project.id)
          .executeTakeFirst();
        if (last === undefined || last.id === null) return undefined;
        await tx
          .updateTable("deletions")
          .set((eb) => ({ dropped_spans: eb("dropped_spans", "+", spans) }))
          .where("id", "=", last.id)
          .execute();
        await insertDigests(
          tx,
          project.id,
          last.id,
          traceIds.map((traceId) => digestOf("trace", traceId)),
        );
        return project;
      });
    },
  };
}

export const listVersionAttributes = async (db: Db): Promise<VersionAttribute[]> =>
  (
    await db
      .selectFrom("projects")
      .select(["number as project", "version_attribute as attribute"])
      .where("version_attribute", "is not", null)
      .execute()
  ).map(({ project, attribute }) => ({ project, attribute: attribute! }));

async function insertDigests(tx: Db, projectId: string, deletionId: number, digests: readonly string[]): Promise<void> {
  const rows = digests.map((digest) => ({ project_id: projectId, digest, deletion_id: deletionId }));
  for (let from = 0; from < rows.length; from += INSERT_ROWS) {
    await tx
      .insertInto("deleted_names")
      .values(rows.slice(from, from + INSERT_ROWS))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
