import { type GraderSettings, LIMITS } from "@svc/contract";
import type { FindProjects } from "../../../access/projects.ts";
import type { Page, PageRequest } from "../../../stores/page.ts";
import type { Db } from "../../../stores/relational.ts";
import type { Schema } from "../../../stores/schema.ts";
import { transaction } from "../../../stores/transaction.ts";
import { createVersionedStore, type StoredRecord } from "../../../stores/versioned-store.ts";
import type { Change } from "../../../base/versions.ts";
import type { GraderContent, ProjectGrader, ShippedGrader } from "../grader.ts";
import { DEFAULT_SETTINGS, SHIPPED } from "../library.ts";
import { gradesProduction, gradesSimulations, type NewGrader } from "../rules.ts";
import { startCheckpoint } from "./production.ts";

/** Throws if the project may not create another grader. */
type RefuseTooMany = (liveCount: number) => void;

export type GraderStore = {
  /** Returns a grader, even when it is archived. */
  get: (projectId: string, id: string) => Promise<ProjectGrader>;
  /** Finds the projects of a grader. A shipped grader belongs to every project. */
  findProjects: FindProjects;
  /** Returns a page of graders: first the graders of the project, newest first, then the shipped graders. */
  list: (projectId: string, archived: boolean, page: PageRequest) => Promise<Page<ProjectGrader>>;
  /** Newest first. */
  listVersions: (grader: ProjectGrader, page: PageRequest) => Promise<Page<ProjectGrader["current"]>>;
  /** Oldest first. */
  listForSimulations: (projectId: string) => Promise<ProjectGrader[]>;
  /** Oldest first. */
  listForProduction: (projectId: string) => Promise<ProjectGrader[]>;
  /** Throws if the name is taken, or if the project has too many graders. */
  create: (projectId: string, grader: NewGrader, refuseTooMany: RefuseTooMany) => Promise<ProjectGrader>;
  /** Reads the grader and writes the changes that `decide` returns, in one transaction. Throws if the new name is taken. */
  edit: (
    projectId: string,
    id: string,
    decide: (current: ProjectGrader) => Change<GraderContent>,
  ) => Promise<ProjectGrader>;
  configure: (
    projectId: string,
    id: string,
    decide: (current: ProjectGrader) => GraderSettings,
  ) => Promise<ProjectGrader>;
  archive: (projectId: string, id: string, decide: (grader: ProjectGrader) => boolean) => Promise<ProjectGrader>;
  /** Throws if the name is taken, or if the project has too many graders. */
  restore: (
    projectId: string,
    id: string,
    decide: (grader: ProjectGrader) => string | undefined,
    refuseTooMany: RefuseTooMany,
  ) => Promise<ProjectGrader>;
};

const graders = createVersionedStore({
  table: "graders",
  nameTaken: "Another grader of the project has this name; choose another.",
  columnsOfContent: ({ definition }: GraderContent) => ({ definition: JSON.stringify(definition) }),
  contentOf: ({ definition }) => ({ definition: JSON.parse(definition) }),
  shipped: SHIPPED,
  complete: withSettings,
});

export function createGraderStore(db: Db): GraderStore {
  return {
    get: (projectId, id) => graders.get(db, projectId, id),
    findProjects: (id, projects) => graders.findProjects(db, id, projects),
    list: (projectId, archived, page) => graders.list(db, projectId, page, { archived }),
    listVersions: (grader, page) => graders.listVersions(db, grader, page),

    async listForSimulations(projectId) {
      const live = await listLive(db, projectId);
      return live.filter(({ settings }) => gradesSimulations(settings));
    },

    async listForProduction(projectId) {
      const live = await listLive(db, projectId);
      return live.filter(({ settings }) => gradesProduction(settings));
    },

    create: (projectId, { name, content, settings }, refuseTooMany) =>
      graders.change(db, projectId, async (tx) => {
        refuseTooMany(await countLive(tx, projectId));
        const { id } = await graders.create(tx, projectId, { name, content });
        await putSettings(tx, projectId, id, settings);
        return graders.get(tx, projectId, id);
      }),

    edit: (projectId, id, decide) => graders.change(db, projectId, (tx) => graders.edit(tx, projectId, id, decide)),

    configure: (projectId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        await putSettings(tx, projectId, id, decide(await graders.get(tx, projectId, id)));
        return graders.get(tx, projectId, id);
      }),

    archive: (projectId, id, decide) =>
      graders.change(db, projectId, (tx) => graders.archive(tx, projectId, id, decide)),

    restore: (projectId, id, decide, refuseTooMany) =>
      graders.change(db, projectId, (tx) =>
        graders.restore(tx, projectId, id, async (grader) => {
          const name = decide(grader);
          if (name === undefined) return undefined;
          refuseTooMany(await countLive(tx, projectId));
          if (gradesProduction(grader.settings)) await startCheckpoint(tx, projectId);
          return name;
        }),
      ),
  };
}

async function listLive(db: Db, projectId: string): Promise<ProjectGrader[]> {
  const all = { limit: LIMITS.graders + SHIPPED.length, before: undefined };
  const { items } = await graders.list(db, projectId, all, { archived: false });
  return items.toReversed();
}

async function withSettings(
  records: (StoredRecord<"graders", GraderContent> | ShippedGrader)[],
  db: Db,
  projectId: string,
): Promise<ProjectGrader[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ id }) => id);
  const rows = await db
    .selectFrom("grader_settings")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("grader_id", "in", ids)
    .execute();
  const changed = new Map(rows.map((row) => [row.grader_id, settingsOf(row)]));
  return records.map((record) => {
    const initial = "settings" in record ? record.settings : DEFAULT_SETTINGS;
    return { ...record, settings: changed.get(record.id) ?? initial };
  });
}

async function countLive(tx: Db, projectId: string): Promise<number> {
  const { count } = await tx
    .selectFrom("graders")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("project_id", "=", projectId)
    .where("archived_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

async function putSettings(tx: Db, projectId: string, graderId: string, settings: GraderSettings): Promise<void> {
  const row = {
    enabled: settings.enabled ? 1 : 0,
    counts: settings.counts ? 1 : 0,
    scope: settings.scope,
    production_sample_rate: settings.productionSampleRate,
  } as const;
  await tx
    .insertInto("grader_settings")
    .values({ project_id: projectId, grader_id: graderId, ...row })
    .onConflict((conflict) => conflict.columns(["project_id", "grader_id"]).doUpdateSet(row))
    .execute();
  if (gradesProduction(settings)) await startCheckpoint(tx, projectId);
}

const settingsOf = (row: Schema["grader_settings"]): GraderSettings => ({
  enabled: row.enabled === 1,
  counts: row.counts === 1,
  scope: row.scope,
  productionSampleRate: row.production_sample_rate,
});
