import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries, refresh } from "../queries.ts";
import { EditorLayout, NewRecordPage } from "../editing/record-page.tsx";
import { sameValue } from "../editing/merge.ts";
import { useDraft } from "../editing/use-draft.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Notice } from "../ui/notice.tsx";
import { CapabilitiesCard } from "./capabilities-card.tsx";
import { EMPTY_PERSONA, type PersonaErrors, personaErrorsOf, tidiedPersona } from "./persona-content.ts";
import { PersonaForm } from "./persona-form.tsx";
import { PersonasLink } from "./personas-link.tsx";
import { personaQuery } from "./queries.ts";

const NO_PERSONA = { versionId: "", version: 0, content: EMPTY_PERSONA };

export function NewPersona() {
  const { canWrite } = usePlace();
  if (canWrite) return <NewPersonaEditor />;
  return (
    <Page title="New persona" above={<PersonasLink />}>
      <Notice>Viewers cannot write personas. An admin of the organization can make you a member.</Notice>
    </Page>
  );
}

function NewPersonaEditor() {
  const place = usePlace();
  const navigate = useNavigate();
  const draft = useDraft(`new-persona.${place.projectId}`, NO_PERSONA);
  const [errors, setErrors] = useState<PersonaErrors>({});
  const creating = useMutation({
    mutationFn: async () => {
      const fields = { ...tidiedPersona(draft.content), projectId: place.projectId };
      return (await place.client.personas.create(fields)).persona;
    },
    onSuccess: async (persona) => {
      queries.setQueryData(personaQuery(place, persona.id).queryKey, persona);
      void refresh(place, "personas.list");
      draft.discard();
      await navigate({
        to: "/o/$organizationId/p/$project/personas/$personaId",
        params: { ...place.params, personaId: persona.id },
        replace: true,
        ignoreBlocker: true,
      });
    },
    onError: (error) => setErrors(personaErrorsOf(error)),
  });
  return (
    <NewRecordPage
      noun="persona"
      above={<PersonasLink />}
      isChanged={!sameValue(draft.content, EMPTY_PERSONA)}
      creating={creating}
      onDiscard={draft.discard}
    >
      <EditorLayout
        form={<PersonaForm content={draft.content} errors={errors} onChange={draft.change} />}
        aside={<CapabilitiesCard traits={draft.content.traits} models={draft.content.models} />}
      />
    </NewRecordPage>
  );
}
