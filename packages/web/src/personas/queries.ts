import { NO_RECOGNIZER } from "@svc/contract/constants";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { allOf } from "../queries.ts";
import type { ProjectPlace } from "../shell/place.ts";
import type { Persona, SpeechModelName } from "./persona-content.ts";

export const personasQuery = ({ client, organizationId, projectId }: ProjectPlace, archived = false) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.list", archived],
    queryFn: async ({ signal }) => inPageOrder(await allOf(client.personas.list, { projectId, archived }, signal)),
  });

export const personaQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.get", personaId],
    queryFn: async ({ signal }) => (await client.personas.get({ personaId, projectId }, { signal })).persona,
  });

export const personaVersionsQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.versions", personaId],
    queryFn: ({ signal }) => allOf(client.personas.versions, { personaId, projectId }, signal),
  });

/** Query for the tests whose current version uses the persona. */
export const personaUsageQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.usage", personaId],
    queryFn: ({ signal }) => allOf(client.personas.usage, { personaId, projectId }, signal),
  });

export const speechModelsQuery = ({ client, organizationId }: ProjectPlace) =>
  queryOptions({
    queryKey: [organizationId, "capabilities.models"],
    queryFn: ({ signal }) => client.capabilities.models({}, { signal }),
    staleTime: Infinity,
  });

/** The models, the language and the voice decide which options the other models and members have. */
export type SpeechSelection = {
  tts: SpeechModelName;
  stt?: SpeechModelName | undefined;
  language?: string | undefined;
  voiceId?: string | undefined;
};

export const capabilitiesQuery = (
  { client, organizationId, projectId }: ProjectPlace,
  selection: SpeechSelection | undefined,
) =>
  queryOptions({
    queryKey: [organizationId, projectId, "capabilities.get", selection],
    queryFn: ({ signal }) => {
      const { tts, stt, language, voiceId } = selection!;
      return client.capabilities.get(
        {
          projectId,
          ttsProvider: tts.provider,
          ttsModel: tts.model,
          sttProvider: stt?.provider ?? NO_RECOGNIZER,
          sttModel: stt?.model ?? NO_RECOGNIZER,
          language,
          voiceId,
        },
        { signal },
      );
    },
    enabled: selection !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

type OrderedPersona = Pick<Persona, "name" | "source" | "isDefault">;

/** The default persona comes first, then the project's own in the given order, then the shipped ones by name. */
export const inPageOrder = <T extends OrderedPersona>(personas: readonly T[]): T[] =>
  personas.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.source === "shipped" ? a.name.localeCompare(b.name) : 0));

const rankOf = ({ isDefault, source }: OrderedPersona): number => (isDefault ? 0 : source === "shipped" ? 2 : 1);
