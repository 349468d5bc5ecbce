import type { PersonaModels, PersonaTraits } from "@svc/contract";
import type { z } from "zod";

export type Traits = z.output<typeof PersonaTraits>;
type Models = z.output<typeof PersonaModels>;

/** What a version freezes. */
export type PersonaContent = { traits: Traits; models: Models };

export type PersonaVersion = {
  id: string;
  personaId: string;
  version: number;
  content: PersonaContent;
  /** Null for what ships with the service, here and below. */
  createdAt: string | null;
};

export type Persona = {
  id: string;
  projectId: string | null;
  name: string;
  current: PersonaVersion;
  archivedAt: string | null;
  createdAt: string | null;
  updatedAt: string | null;
};
