import type { PersonaModels, PersonaTraits } from "@svc/contract";
import type { z } from "zod";
import type { VersionedRecord } from "../../base/versions.ts";

/** The content that a version of a persona freezes. */
export type PersonaContent = { traits: z.output<typeof PersonaTraits>; models: z.output<typeof PersonaModels> };

/** A persona of a project, or one that ships with the service. */
export type ProjectPersona = VersionedRecord<PersonaContent> & { archived_at: string | null };

export type PersonaVersion = ProjectPersona["current"];
