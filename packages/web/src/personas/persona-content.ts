import { sameValue } from "../editing/merge.ts";
import type { Models, Persona, Traits } from "./persona-types.ts";

/** The parts of a persona that a person edits. */
export type PersonaContent = { name: string; traits: Traits; models: Models };

export const EMPTY_PERSONA: PersonaContent = { name: "", traits: {}, models: {} };

export const personaContentOf = ({ name, traits, models }: Persona): PersonaContent => ({ name, traits, models });

/** Returns an object without the members that have no value or an empty text. */
export const defined = <T extends object>(members: { [M in keyof T]: T[M] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== "")) as T;

/** Returns the content as the service would store it: texts are trimmed, and members without a value are gone. */
export const tidiedPersona = ({ name, traits, models }: PersonaContent): PersonaContent => ({
  name: name.trim(),
  traits: defined({ ...traits, personality: traits.personality?.trim(), language: traits.language?.trim() }),
  models: defined({ ...models, llm: models.llm?.trim() }),
});

/** The fields of an edit of a persona. */
type PersonaFields = { name?: string; traits?: Traits; models?: Models };

/** Returns the fields that an edit changes; undefined when it changes nothing. */
export function changedPersonaFields(base: PersonaContent, content: PersonaContent): PersonaFields | undefined {
  const draft = tidiedPersona(content);
  const fields = {
    ...(draft.name !== base.name && { name: draft.name }),
    ...(!sameValue(draft.traits, base.traits) && { traits: draft.traits }),
    ...(!sameValue(draft.models, base.models) && { models: draft.models }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Returns whether a save stores anything, and whether it makes a version: a new name alone makes none. */
export function personaChangeOf(base: PersonaContent, content: PersonaContent) {
  const fields = changedPersonaFields(base, content);
  return {
    isChanged: fields !== undefined,
    makesVersion: fields?.traits !== undefined || fields?.models !== undefined,
  };
}
