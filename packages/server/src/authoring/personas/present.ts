import type { Persona as PersonaAnswer, PersonaVersion as VersionAnswer } from "@svc/contract";
import type { z } from "zod";
import type { ProjectPersona, PersonaVersion } from "./persona.ts";

export function presentPersona(persona: ProjectPersona, defaultId: string): z.infer<typeof PersonaAnswer> {
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

export function presentVersion(persona: ProjectPersona, version: PersonaVersion): z.infer<typeof VersionAnswer> {
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
