import type { PersonaModels, PersonaTraits } from "@svc/contract";
import type { z } from "zod";
import type { VersionedRecord } from "../../base/versions.ts";

export type PersonaContent = { traits: z.output<typeof PersonaTraits>; models: z.output<typeof PersonaModels> };

export type ProjectPersona = VersionedRecord<PersonaContent> & { archived_at: string | null };

export type PersonaVersion = ProjectPersona["current"];
