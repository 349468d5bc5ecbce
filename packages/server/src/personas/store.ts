import { sql } from "kysely";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { type Page, pageOf, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import type { Schema } from "../stores/schema.ts";
import { holdsText } from "../stores/holds-text.ts";
import { searchText } from "../stores/search-text.ts";
import { transaction } from "../stores/transaction.ts";
import type { Change } from "../versions.ts";
import { DEFAULT_PERSONA_ID, SHIPPED, SHIPPED_VERSIONS } from "./library.ts";
import type { Persona, PersonaContent, PersonaVersion } from "./persona.ts";
import { resolvePersonas } from "./rules.ts";

type VersionRow = Schema["persona_versions"];

type Filter = { search: string | undefined; archived: boolean };
type UsingTest = { id: string; suiteId: string; name: string; versionId: string };
export type PersonaStore = ReturnType<typeof openPersonaStore>;

/** The project's own personas in the store, beside those that ship with the service. */
export function openPersonaStore(db: Db) {
  return {
    get: (projectId: string, id: string) => persona(db, projectId, id),

    async list(projectId: string, { search, archived }: Filter, page: PageRequest): Promise<Page<Persona>> {
      let query = own(db, projectId).where("archived_at", archived ? "is not" : "is", null);
      if (search !== undefined) query = query.where(holdsText(search));
      const { items, next } = await readPage(query, page, "personas.id");
      const found = items.map(asPersona);
      if (next !== null || archived) return { items: found, next };
      const shipped = SHIPPED.filter(
        ({ id, name }) => (page.before === undefined || id < page.before) && name.includes(searchText(search ?? null)),
      );
      return pageOf([...found, ...shipped], page.limit);
    },

    async create(projectId: string, name: string, content: PersonaContent): Promise<Persona> {
      const now = new Date().toISOString();
      const id = newId("prs");
      const version = versionRow(id, 1, content, now);
      const row = {
        id,
        project_id: projectId,
        ...named(name),
        current_version_id: version.id,
        created_at: now,
        updated_at: now,
      };
      await transaction(db, async (tx) => {
        await tx
          .insertInto("personas")
          .values({ ...row, archived_at: null })
          .execute();
        await tx.insertInto("persona_versions").values(version).execute();
      }).catch(refuseTakenName);
      return persona(db, projectId, id);
    },

    /** Reads the persona, lets `decide` say what changes, and writes that, all in one transaction. */
    async edit(projectId: string, id: string, decide: (current: Persona) => Change<PersonaContent>): Promise<Persona> {
      return transaction(db, async (tx) => {
        const before = await persona(tx, projectId, id);
        const { name, content } = decide(before);
        if (name === undefined && content === undefined) return before;
        const now = new Date().toISOString();
        const version = content && versionRow(id, before.current.version + 1, content, now);
        if (version) await tx.insertInto("persona_versions").values(version).execute();
        await tx
          .updateTable("personas")
          .set({
            ...named(name ?? before.name),
            current_version_id: version?.id ?? before.current.id,
            updated_at: now,
          })
          .where("id", "=", id)
          .execute();
        return persona(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    async versions(projectId: string, id: string, page: PageRequest): Promise<Page<PersonaVersion>> {
      const { projectId: owner } = await persona(db, projectId, id);
      if (owner === null) {
        const { before } = page;
        return pageOf(
          SHIPPED_VERSIONS.filter((version) => version.personaId === id && (!before || version.id < before)),
          page.limit,
        );
      }
      const query = db.selectFrom("persona_versions").selectAll().where("persona_id", "=", id);
      const { items, next } = await readPage(query, page);
      return { items: items.map(asVersion), next };
    },

    async version(projectId: string, id: string): Promise<{ persona: Persona; version: PersonaVersion }> {
      const shipped = SHIPPED_VERSIONS.find((version) => version.id === id);
      const row =
        shipped ?? (await db.selectFrom("persona_versions").selectAll().where("id", "=", id).executeTakeFirst());
      if (!row) throw notFound();
      const version = "content" in row ? row : asVersion(row);
      return { persona: await persona(db, projectId, version.personaId), version };
    },

    /** `decide` is asked with the project's default in the same step, so that no default is ever archived. */
    async archive(projectId: string, id: string, decide: (persona: Persona, defaultId: string) => boolean) {
      return transaction(db, async (tx) => {
        const before = await persona(tx, projectId, id);
        if (!decide(before, await defaultId(tx, projectId))) return before;
        const now = new Date().toISOString();
        await tx.updateTable("personas").set({ archived_at: now, updated_at: now }).where("id", "=", id).execute();
        return persona(tx, projectId, id);
      });
    },

    /** `decide` says under which name it comes back, if it does. */
    async restore(projectId: string, id: string, decide: (persona: Persona) => string | undefined): Promise<Persona> {
      return transaction(db, async (tx) => {
        const before = await persona(tx, projectId, id);
        const name = decide(before);
        if (name === undefined) return before;
        await tx
          .updateTable("personas")
          .set({ ...named(name), archived_at: null, updated_at: new Date().toISOString() })
          .where("id", "=", id)
          .execute();
        return persona(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    /** Tests whose current version pins the persona. */
    async usage(projectId: string, id: string, page: PageRequest): Promise<Page<UsingTest>> {
      await persona(db, projectId, id);
      const query = db
        .selectFrom("tests")
        .innerJoin("test_versions", "test_versions.id", "tests.current_version_id")
        .select(["tests.id", "suite_id as suiteId", "name", "current_version_id as versionId"])
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null)
        .where(sql<boolean>`EXISTS (SELECT 1 FROM json_each(test_versions.persona_ids) WHERE value = ${id})`);
      return readPage(query, page, "tests.id");
    },

    defaultId: (projectId: string) => defaultId(db, projectId),

    async makeDefault(projectId: string, id: string, decide: (persona: Persona) => void): Promise<Persona> {
      return transaction(db, async (tx) => {
        const chosen = await persona(tx, projectId, id);
        decide(chosen);
        await tx
          .insertInto("default_personas")
          .values({ project_id: projectId, persona_id: id })
          .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ persona_id: id }))
          .execute();
        return chosen;
      });
    },

    /** The ids that a test's personas mean now, read in the transaction that writes them down. */
    async idsOf(tx: Db, projectId: string, references: readonly string[]): Promise<string[]> {
      if (references.length === 0) return [];
      const rows = await tx
        .selectFrom("personas")
        .select(["id", "name", "archived_at as archivedAt"])
        .where("project_id", "=", projectId)
        .where((eb) => eb.or([eb("id", "in", references), eb("name", "in", references)]))
        .execute();
      return resolvePersonas(references, [...SHIPPED, ...rows]);
    },
  };
}

const named = (name: string) => ({ name, search_text: searchText(name) });

const own = (db: Db, projectId: string) =>
  db
    .selectFrom("personas")
    .innerJoin("persona_versions", "persona_versions.id", "personas.current_version_id")
    .select(["personas.id", "project_id", "name", "personas.created_at", "updated_at", "archived_at"])
    .select(["current_version_id", "version", "traits", "models", "persona_versions.created_at as minted_at"])
    .where("project_id", "=", projectId);

type OwnRow = Awaited<ReturnType<ReturnType<typeof own>["executeTakeFirstOrThrow"]>>;

async function persona(db: Db, projectId: string, id: string): Promise<Persona> {
  const shipped = SHIPPED.find((candidate) => candidate.id === id);
  if (shipped) return shipped;
  const row = await own(db, projectId).where("personas.id", "=", id).executeTakeFirstOrThrow(notFound);
  return asPersona(row);
}

async function defaultId(db: Db, projectId: string): Promise<string> {
  const row = await db
    .selectFrom("default_personas")
    .select("persona_id")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return row?.persona_id ?? DEFAULT_PERSONA_ID;
}

function asPersona(row: OwnRow): Persona {
  const { version, traits, models, current_version_id: id, minted_at: created_at } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    current: asVersion({ id, persona_id: row.id, version, traits, models, created_at }),
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const asVersion = ({ id, persona_id, version, traits, models, created_at }: VersionRow): PersonaVersion => ({
  id,
  personaId: persona_id,
  version,
  content: { traits: JSON.parse(traits), models: JSON.parse(models) },
  createdAt: created_at,
});

const versionRow = (
  personaId: string,
  version: number,
  { traits, models }: PersonaContent,
  now: string,
): VersionRow => ({
  id: newId("prsv"),
  persona_id: personaId,
  version,
  traits: JSON.stringify(traits),
  models: JSON.stringify(models),
  created_at: now,
});

const refuseTakenName = refuseTaken("Another persona of the project has this name; choose another.");
