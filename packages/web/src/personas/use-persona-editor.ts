import { queries } from "../queries.ts";
import { useVersionedEditor } from "../editing/use-versioned-editor.ts";
import { usePlace } from "../shell/place.ts";
import {
  changedPersonaFields,
  type Persona,
  personaChangeOf,
  type PersonaContent,
  personaContentOf,
  type PersonaErrors,
  personaErrorsOf,
} from "./persona-content.ts";
import { personaQuery } from "./queries.ts";

export function usePersonaEditor(persona: Persona) {
  const { client, organizationId, projectId } = usePlace();
  const one = { personaId: persona.id, projectId };
  return useVersionedEditor<PersonaContent, Persona, PersonaErrors>({
    key: `persona.${persona.id}`,
    stored: persona,
    baseOf: (stored) => ({
      versionId: stored.versionId,
      version: stored.version,
      content: personaContentOf(stored),
      savedAt: stored.updatedAt,
    }),
    changeOf: personaChangeOf,
    save: async (base, content) => {
      const fields = changedPersonaFields(base.content, content);
      return (await client.personas.edit({ ...one, expectedVersionId: base.versionId, ...fields })).persona;
    },
    read: async () => (await client.personas.get(one)).persona,
    merge: async (...sides) => (await import("./merge-personas.ts")).mergePersonas(...sides),
    noErrors: {},
    errorsOf: personaErrorsOf,
    onStored: (stored) => {
      queries.setQueryData(personaQuery({ client, organizationId, projectId }, stored.id).queryKey, stored);
      for (const name of ["personas.list", "personas.versions"])
        void queries.invalidateQueries({ queryKey: [organizationId, projectId, name] });
    },
  });
}
