import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { EditorLayout } from "../editing/editor-layout.tsx";
import { LeaveGuard } from "../editing/leave-guard.tsx";
import { sameValue } from "../editing/merge.ts";
import { useDraft } from "../editing/use-draft.ts";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { CapabilitiesCard } from "./capabilities-card.tsx";
import { EMPTY_PERSONA, tidiedPersona } from "./persona-content.ts";
import { type PersonaErrors, personaErrorsOf } from "./persona-errors.ts";
import { PersonaForm } from "./persona-form.tsx";
import { PersonasLink } from "./personas-link.tsx";
import { personaQuery } from "./queries.ts";

const NO_PERSONA = { versionId: "", version: 0, content: EMPTY_PERSONA };

/** The editor of a persona that is not stored yet. */
export function NewPersona() {
  const place = usePlace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const draft = useDraft(`new-persona.${place.projectId}`, NO_PERSONA);
  const [errors, setErrors] = useState<PersonaErrors>({});
  const isChanged = !sameValue(draft.content, EMPTY_PERSONA);
  const creating = useMutation({
    mutationFn: async () => {
      const fields = { ...tidiedPersona(draft.content), projectId: place.projectId };
      return (await place.client.personas.create(fields)).persona;
    },
    onSuccess: async (persona) => {
      cache.setQueryData(personaQuery(place, persona.id).queryKey, persona);
      void cache.invalidateQueries({ queryKey: [place.organizationId, place.projectId, "personas.list"] });
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
  const save = () => {
    if (isChanged && !creating.isPending) creating.mutate();
  };
  useKeys({ "mod+s": save }, place.canWrite);
  if (!place.canWrite)
    return (
      <Page title="New persona" above={<PersonasLink />}>
        <Notice>Viewers cannot write personas. An admin of the organization can make you a member.</Notice>
      </Page>
    );
  return (
    <Page
      title="New persona"
      above={<PersonasLink />}
      actions={
        <>
          {isChanged && (
            <Button look="quiet" onClick={draft.discard}>
              Discard
            </Button>
          )}
          <Button look="primary" disabled={!isChanged} busy={creating.isPending} onClick={save}>
            Create persona
          </Button>
        </>
      }
    >
      <EditorLayout
        form={<PersonaForm content={draft.content} errors={errors} onChange={draft.change} />}
        aside={<CapabilitiesCard traits={draft.content.traits} models={draft.content.models} />}
      />
      <LeaveGuard isChanged={isChanged && !creating.isSuccess} onDiscard={draft.discard} />
    </Page>
  );
}
