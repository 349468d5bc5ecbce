import type { FindProjects } from "../../access/projects.ts";
import { dialectOf } from "../../stores/dialect.ts";
import type { Page, PageRequest } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import { searchText } from "../../stores/search-text.ts";
import { transaction } from "../../stores/transaction.ts";
import { createVersionedStore } from "../../stores/versioned-store.ts";
import type { Change, VersionWithRecord } from "../../base/versions.ts";
import { DEFAULT_PERSONA_ID, SHIPPED } from "./library.ts";
import type { ProjectPersona, PersonaContent, PersonaVersion } from "./persona.ts";
import { resolvePersonas } from "./rules.ts";

type Filter = { search: string | undefined; archived: boolean };

export type PersonaStore = {
  /** Returns a persona, even an archived one. */
  get: (projectId: string, id: string) => Promise<ProjectPersona>;
  findProjects: FindProjects;
  findProjectsOfVersion: FindProjects;
  /** Returns a page of the project's personas, newest first, followed by the shipped personas. */
  list: (projectId: string, filter: Filter, page: PageRequest) => Promise<Page<ProjectPersona>>;
  listVersions: (persona: ProjectPersona, page: PageRequest) => Promise<Page<PersonaVersion>>;
  getVersion: (projectId: string, id: string) => Promise<VersionWithRecord<ProjectPersona>>;
  create: (projectId: string, name: string, content: PersonaContent) => Promise<ProjectPersona>;
  edit: (
    projectId: string,
    id: string,
    decide: (current: ProjectPersona) => Change<PersonaContent>,
  ) => Promise<ProjectPersona>;
  archive: (
    projectId: string,
    id: string,
    decide: (persona: ProjectPersona, defaultId: string) => boolean,
  ) => Promise<ProjectPersona>;
  restore: (
    projectId: string,
    id: string,
    decide: (persona: ProjectPersona) => string | undefined,
  ) => Promise<ProjectPersona>;
  defaultId: (projectId: string) => Promise<string>;
  makeDefault: (projectId: string, id: string, decide: (persona: ProjectPersona) => void) => Promise<ProjectPersona>;
  /** `tx` must be the transaction that writes the test. */
  idsOf: (tx: Db, projectId: string, references: readonly string[]) => Promise<string[]>;
  /** Returns the ids of the live personas with these ids or names. Throws for any other reference. */
  resolve: (projectId: string, references: readonly string[]) => Promise<string[]>;
};

const personas = createVersionedStore({
  table: "personas",
  nameTaken: "Another persona of the project has this name; choose another.",
  columnsOfName: (name) => ({ search_text: searchText(name) }),
  columnsOfContent: ({ traits, models }: PersonaContent) => ({
    traits: JSON.stringify(traits),
    models: JSON.stringify(models),
  }),
  contentOf: ({ traits, models }) => ({ traits: JSON.parse(traits), models: JSON.parse(models) }),
  shipped: SHIPPED,
  complete: async (records): Promise<ProjectPersona[]> => records,
});

export function createPersonaStore(db: Db): PersonaStore {
  return {
    get: (projectId, id) => personas.get(db, projectId, id),

    findProjects: (id, projects) => personas.findProjects(db, id, projects),
    findProjectsOfVersion: (id, projects) => personas.findProjectsOfVersion(db, id, projects),

    list: (projectId, { search, archived }, page) =>
      personas.list(db, projectId, page, {
        archived,
        where: search === undefined ? undefined : dialectOf(db).holdsText(search),
        hasShipped: ({ name }) => search === undefined || name.includes(searchText(search)),
      }),

    listVersions: (persona, page) => personas.listVersions(db, persona, page),
    getVersion: (projectId, id) => personas.getVersion(db, projectId, id),

    create: (projectId, name, content) =>
      personas.change(db, projectId, (tx) => personas.create(tx, projectId, { name, content })),

    edit: (projectId, id, decide) => personas.change(db, projectId, (tx) => personas.edit(tx, projectId, id, decide)),

    archive: (projectId, id, decide) =>
      personas.change(db, projectId, (tx) =>
        personas.archive(tx, projectId, id, async (persona) => decide(persona, await defaultId(tx, projectId))),
      ),

    restore: (projectId, id, decide) =>
      personas.change(db, projectId, (tx) => personas.restore(tx, projectId, id, decide)),

    defaultId: (projectId) => defaultId(db, projectId),

    makeDefault: (projectId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        const persona = await personas.get(tx, projectId, id);
        decide(persona);
        await tx
          .insertInto("default_personas")
          .values({ project_id: projectId, persona_id: id })
          .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ persona_id: id }))
          .execute();
        return persona;
      }),

    idsOf,

    resolve: (projectId, references) => idsOf(db, projectId, references),
  };
}

async function idsOf(db: Db, projectId: string, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return [];
  const rows = await db
    .selectFrom("personas")
    .select(["id", "name", "archived_at"])
    .where("project_id", "=", projectId)
    .where((eb) => eb.or([eb("id", "in", references), eb("name", "in", references)]))
    .execute();
  return resolvePersonas(references, [...SHIPPED, ...rows]);
}

async function defaultId(db: Db, projectId: string): Promise<string> {
  const row = await db
    .selectFrom("default_personas")
    .select("persona_id")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return row?.persona_id ?? DEFAULT_PERSONA_ID;
}
