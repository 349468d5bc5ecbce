import { type Answer, type Operations, tokenPages } from "@svc/sdk";
import { queryOptions } from "@tanstack/react-query";
import type { ProjectPlace } from "../frame/place.ts";

export type Persona = Answer<Operations["personas"]["get"]>["persona"];
export type PersonaVersion = Answer<Operations["personas"]["version"]>["version"];

/** Every live persona, or every archived one: the project's own, newest first, then the shipped ones. */
export const personasQuery = ({ client, organizationId, projectId }: ProjectPlace, archived = false) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.list", archived],
    queryFn: ({ signal }) =>
      Array.fromAsync(
        tokenPages("personas", (pageToken) =>
          client.personas.list({ projectId, archived, pageSize: 200, pageToken }, { signal }),
        ),
      ),
  });

/** One persona with its current content. */
export const personaQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.get", personaId],
    queryFn: async ({ signal }) => (await client.personas.get({ personaId, projectId }, { signal })).persona,
  });

/** Every version of a persona, newest first. */
export const personaVersionsQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.versions", personaId],
    queryFn: ({ signal }) =>
      Array.fromAsync(
        tokenPages("versions", (pageToken) =>
          client.personas.versions({ personaId, projectId, pageSize: 200, pageToken }, { signal }),
        ),
      ),
  });

/** The tests whose current version names the persona. */
export const personaUsageQuery = ({ client, organizationId, projectId }: ProjectPlace, personaId: string) =>
  queryOptions({
    queryKey: [organizationId, projectId, "personas.usage", personaId],
    queryFn: ({ signal }) =>
      Array.fromAsync(
        tokenPages("tests", (pageToken) =>
          client.personas.usage({ personaId, projectId, pageSize: 200, pageToken }, { signal }),
        ),
      ),
  });
