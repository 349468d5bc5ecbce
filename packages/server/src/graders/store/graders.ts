import { notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import { type Page, pageOf, type PageRequest, readPage } from "../../stores/page.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";
import type { Change } from "../../versions.ts";
import type { Definition, Grader, GraderVersion, Settings } from "../grader.ts";
import { SHIPPED } from "../library.ts";
import { type Decided, gradesProduction, gradesSimulations } from "../rules.ts";

type VersionRow = Schema["grader_versions"];
type SettingsRow = Schema["grader_settings"];

export type GraderStore = ReturnType<typeof openGraderStore>;

/** The project's own graders in the store, beside those that ship with the service. */
export function openGraderStore(db: Db) {
  return {
    get: (projectId: string, id: string) => find(db, projectId, id),

    async list(projectId: string, archived: boolean, page: PageRequest): Promise<Page<Grader>> {
      const query = own(db, projectId).where("archived_at", archived ? "is not" : "is", null);
      const { items, next } = await readPage(query, page, "graders.id");
      const found = items.map(asGrader);
      if (next !== null || archived) return { items: found, next };
      const shipped = (await shippedOf(db, projectId))
        .filter(({ id }) => page.before === undefined || id < page.before)
        .sort((one, other) => (one.id < other.id ? 1 : -1));
      return pageOf([...found, ...shipped], page.limit);
    },

    /** Those that grade the project's simulations now: shipped ones, then its own, the oldest first. */
    forSimulations: async (projectId: string) => (await live(db, projectId)).filter(gradesSimulations),
    forProduction: async (projectId: string) => (await live(db, projectId)).filter(gradesProduction),

    /** `check` is told how many live graders the project has already. */
    async create(projectId: string, decided: Decided, check: (liveCount: number) => void): Promise<Grader> {
      const now = new Date().toISOString();
      const id = newId("grd");
      const version = versionRow(id, 1, decided.definition, now);
      const { name } = decided;
      const row = { id, project_id: projectId, name, current_version_id: version.id, created_at: now, updated_at: now };
      return transaction(db, async (tx) => {
        check(await countLive(tx, projectId));
        await tx
          .insertInto("graders")
          .values({ ...row, archived_at: null })
          .execute();
        await tx.insertInto("grader_versions").values(version).execute();
        await putSettings(tx, projectId, id, decided.settings);
        return find(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    /** Reads the grader, lets `decide` say what changes, and writes that, all in one transaction. */
    async edit(
      projectId: string,
      id: string,
      decide: (current: Grader) => Change<{ definition: Definition }>,
    ): Promise<Grader> {
      return transaction(db, async (tx) => {
        const before = await find(tx, projectId, id);
        const { name, content } = decide(before);
        if (name === undefined && content === undefined) return before;
        const now = new Date().toISOString();
        const version = content && versionRow(id, before.current.version + 1, content.definition, now);
        if (version) await tx.insertInto("grader_versions").values(version).execute();
        await tx
          .updateTable("graders")
          .set({
            name: name ?? before.name,
            current_version_id: version?.id ?? before.current.id,
            updated_at: now,
          })
          .where("id", "=", id)
          .execute();
        return find(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    async configure(projectId: string, id: string, decide: (current: Grader) => Settings): Promise<Grader> {
      return transaction(db, async (tx) => {
        await putSettings(tx, projectId, id, decide(await find(tx, projectId, id)));
        return find(tx, projectId, id);
      });
    },

    async versions(projectId: string, id: string, page: PageRequest): Promise<Page<GraderVersion>> {
      const { projectId: owner, current } = await find(db, projectId, id);
      if (owner === null) return pageOf(page.before && page.before <= current.id ? [] : [current], page.limit);
      const query = db.selectFrom("grader_versions").selectAll().where("grader_id", "=", id);
      const { items, next } = await readPage(query, page);
      return { items: items.map(asVersion), next };
    },

    async archive(projectId: string, id: string, decide: (grader: Grader) => boolean): Promise<Grader> {
      return transaction(db, async (tx) => {
        const before = await find(tx, projectId, id);
        if (!decide(before)) return before;
        const now = new Date().toISOString();
        await tx.updateTable("graders").set({ archived_at: now, updated_at: now }).where("id", "=", id).execute();
        return find(tx, projectId, id);
      });
    },

    /** `decide` says under which name it comes back, if it does. */
    async restore(
      projectId: string,
      id: string,
      decide: (grader: Grader) => string | undefined,
      check: (liveCount: number) => void,
    ): Promise<Grader> {
      return transaction(db, async (tx) => {
        const before = await find(tx, projectId, id);
        const name = decide(before);
        if (name === undefined) return before;
        check(await countLive(tx, projectId));
        await tx
          .updateTable("graders")
          .set({ name, archived_at: null, updated_at: new Date().toISOString() })
          .where("id", "=", id)
          .execute();
        await beginProduction(tx, projectId, before.settings);
        return find(tx, projectId, id);
      }).catch(refuseTakenName);
    },
  };
}

const own = (db: Db, projectId: string) =>
  db
    .selectFrom("graders")
    .innerJoin("grader_versions", "grader_versions.id", "graders.current_version_id")
    .innerJoin("grader_settings", (join) =>
      join
        .onRef("grader_settings.grader_id", "=", "graders.id")
        .onRef("grader_settings.project_id", "=", "graders.project_id"),
    )
    .select(["graders.id", "graders.project_id", "name", "graders.created_at", "updated_at", "archived_at"])
    .select(["current_version_id", "version", "definition", "grader_versions.created_at as minted_at"])
    .select(["enabled", "counts", "scope", "production_sample_rate"])
    .where("graders.project_id", "=", projectId);

type OwnRow = Awaited<ReturnType<ReturnType<typeof own>["executeTakeFirstOrThrow"]>>;

async function find(db: Db, projectId: string, id: string): Promise<Grader> {
  if (SHIPPED.some((grader) => grader.id === id)) {
    return (await shippedOf(db, projectId)).find((grader) => grader.id === id)!;
  }
  const row = await own(db, projectId).where("graders.id", "=", id).executeTakeFirstOrThrow(notFound);
  return asGrader(row);
}

async function live(db: Db, projectId: string): Promise<Grader[]> {
  const rows = await own(db, projectId).where("archived_at", "is", null).orderBy("graders.id").execute();
  return [...(await shippedOf(db, projectId)), ...rows.map(asGrader)];
}

/** The shipped ones, with what the project changed of their use. */
async function shippedOf(db: Db, projectId: string): Promise<Grader[]> {
  const rows = await db
    .selectFrom("grader_settings")
    .selectAll()
    .where("project_id", "=", projectId)
    .where(
      "grader_id",
      "in",
      SHIPPED.map(({ id }) => id),
    )
    .execute();
  const changed = new Map(rows.map((row) => [row.grader_id, asSettings(row)]));
  return SHIPPED.map((grader) => ({ ...grader, settings: changed.get(grader.id) ?? grader.settings }));
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

async function putSettings(tx: Db, projectId: string, graderId: string, settings: Settings): Promise<void> {
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
  await beginProduction(tx, projectId, settings);
}

/** From now on the project's production conversations are looked at; where they are already, nothing changes. */
async function beginProduction(tx: Db, projectId: string, settings: Settings): Promise<void> {
  if (!gradesProduction({ settings })) return;
  await tx
    .insertInto("production_checkpoints")
    .values({ project_id: projectId, received_ms: Date.now() })
    .onConflict((conflict) => conflict.column("project_id").doNothing())
    .execute();
}

function asGrader(row: OwnRow): Grader {
  const { version, definition, current_version_id: id, minted_at: created_at } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    current: asVersion({ id, grader_id: row.id, version, definition, created_at }),
    settings: asSettings(row),
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const asSettings = ({
  enabled,
  counts,
  scope,
  production_sample_rate: productionSampleRate,
}: Omit<SettingsRow, "project_id" | "grader_id">): Settings => ({
  enabled: enabled === 1,
  counts: counts === 1,
  scope,
  productionSampleRate,
});

const asVersion = ({ id, grader_id, version, definition, created_at }: VersionRow): GraderVersion => ({
  id,
  graderId: grader_id,
  version,
  definition: JSON.parse(definition),
  createdAt: created_at,
});

const versionRow = (graderId: string, version: number, definition: Definition, now: string): VersionRow => ({
  id: newId("grdv"),
  grader_id: graderId,
  version,
  definition: JSON.stringify(definition),
  created_at: now,
});

const refuseTakenName = refuseTaken("Another grader of the project has this name; choose another.");
