import type { Persona as PersonaAnswer, PersonaVersion as VersionAnswer } from "@svc/contract";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { withCurrent } from "../../base/versions.ts";
import { goneSignal } from "../../http/gone.ts";
import type { Routes } from "../../http/operation.ts";
import { type Page, type PageRequest, pageRequest } from "../../stores/page.ts";
import type { Capabilities } from "../../voice/capabilities/look-up.ts";
import type { VoiceSampleOf } from "../../voice/speech/voice-samples.ts";
import type { PersonaContent, PersonaVersion, ProjectPersona } from "./persona.ts";
import { decideArchive, decideDefault, decideEdit, decideRestore, refuseShippedName, refuseUnfit } from "./rules.ts";
import type { PersonaStore } from "./store.ts";
import { answerVoiceSample } from "./voice-sample.ts";

export type TestsOfPersonas = {
  /** Returns the tests whose current version uses the persona. */
  listOfPersona: (projectId: string, personaId: string, page: PageRequest) => Promise<Page<TestOfPersona>>;
};

type TestOfPersona = { id: string; suiteId: string; name: string; versionId: string };

type Needs = {
  store: PersonaStore;
  tests: TestsOfPersonas;
  capabilities: Pick<Capabilities, "refusalOf">;
  voiceSampleOf: VoiceSampleOf;
};

export function personaRoutes({ store, tests, capabilities, voiceSampleOf }: Needs): Routes<"personas"> {
  const answer = async (projectId: string, persona: ProjectPersona) => ({
    persona: presentPersona(persona, await store.defaultId(projectId)),
  });

  const show = async (projectId: string, id: string) => answer(projectId, await store.get(projectId, id));

  /** Throws for traits that the models do not support. It may request voices from a provider, so it must run before the transaction. */
  async function requireFit({ organizationId }: Caller, { traits, models }: PersonaContent): Promise<void> {
    const { tts, stt, voiceId, speed, volume } = models;
    if (tts === undefined) return;
    const { language, accent, emotion } = traits;
    const chosen = { language, accent, emotion, voiceId, speed, volume };
    refuseUnfit(await capabilities.refusalOf(organizationId, { tts, ...(stt && { stt }) }, chosen));
  }

  return {
    personas: {
      list: async ({ project, query }) => {
        const { search, archived, pageSize, pageToken } = query;
        const page = await store.list(project.id, { search, archived }, pageRequest("prs", pageSize, pageToken));
        const defaultId = await store.defaultId(project.id);
        return { personas: page.items.map((persona) => presentPersona(persona, defaultId)), nextPageToken: page.next };
      },

      create: async ({ caller, project, body }) => {
        const { name, traits = {}, models = {} } = body;
        refuseShippedName(name);
        await requireFit(caller, { traits, models });
        return answer(project.id, await store.create(project.id, name, { traits, models }));
      },

      get: ({ project, params }) => show(project.id, params.personaId),

      edit: ({ caller, project, params, body }) =>
        withCurrent(
          async () => {
            const decide = (current: ProjectPersona) => decideEdit(current, body);
            const { content } = decide(await store.get(project.id, params.personaId));
            if (content) await requireFit(caller, content);
            return answer(project.id, await store.edit(project.id, params.personaId, decide));
          },
          async () => (await show(project.id, params.personaId)).persona,
        ),

      voiceSample: async ({ caller, project, params, http }) => {
        const persona = await store.get(project.id, params.personaId);
        return answerVoiceSample(voiceSampleOf, caller.organizationId, persona, goneSignal(http.res));
      },

      versions: async ({ project, params, query }) => {
        const persona = await store.get(project.id, params.personaId);
        const page = await store.listVersions(persona, pageRequest("prsv", query.pageSize, query.pageToken));
        return { versions: page.items.map((version) => presentVersion(persona, version)), nextPageToken: page.next };
      },

      version: async ({ project, params }) => {
        const { record, version } = await store.getVersion(project.id, params.versionId);
        return { version: presentVersion(record, version) };
      },

      archive: async ({ project, params }) =>
        answer(project.id, await store.archive(project.id, params.personaId, decideArchive)),

      restore: async ({ project, params, body }) =>
        answer(
          project.id,
          await store.restore(project.id, params.personaId, (persona) => decideRestore(persona, body.name)),
        ),

      fork: async ({ caller, project, params, body }) => {
        const { current } = await store.get(project.id, params.personaId);
        refuseShippedName(body.name);
        await requireFit(caller, current.content);
        return answer(project.id, await store.create(project.id, body.name, current.content));
      },

      usage: async ({ project, params, query }) => {
        const page = pageRequest("tst", query.pageSize, query.pageToken);
        const persona = await store.get(project.id, params.personaId);
        const { items, next } = await tests.listOfPersona(project.id, persona.id, page);
        return { tests: items, nextPageToken: next };
      },

      makeDefault: async ({ project, params }) =>
        answer(project.id, await store.makeDefault(project.id, params.personaId, decideDefault)),
    },
  };
}

function presentPersona(persona: ProjectPersona, defaultId: string): z.infer<typeof PersonaAnswer> {
  const { id, project_id, name, current, archived_at, created_at, updated_at } = persona;
  return {
    id,
    projectId: project_id,
    name,
    source: project_id === null ? "shipped" : "own",
    isDefault: id === defaultId,
    version: current.version,
    versionId: current.id,
    ...current.content,
    archived: archived_at !== null,
    archivedAt: archived_at,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

function presentVersion(persona: ProjectPersona, version: PersonaVersion): z.infer<typeof VersionAnswer> {
  return {
    id: version.id,
    personaId: persona.id,
    personaName: persona.name,
    version: version.version,
    current: version.id === persona.current.id,
    ...version.content,
    createdAt: version.created_at,
  };
}
