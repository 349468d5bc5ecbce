import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { EditMerge } from "../editing/edit-merge.tsx";
import { EditorLayout, LeaveGuard, RecordHead, WideOnly } from "../editing/record-page.tsx";
import { VersionsCard } from "../editing/versions-card.tsx";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { CapabilitiesCard } from "./capabilities-card.tsx";
import { PersonaActions } from "./persona-actions.tsx";
import { PersonaForm } from "./persona-form.tsx";
import { type Persona, personaLines } from "./persona-content.ts";
import { PersonasLink } from "./personas-link.tsx";
import { personaQuery, personaVersionsQuery } from "./queries.ts";
import { UsageCard } from "./usage-card.tsx";
import { VoiceSampleCard } from "./voice-sample-card.tsx";
import { usePersonaEditor } from "./use-persona-editor.ts";
import { Chip } from "../ui/chip.tsx";
import styles from "./persona.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/personas/$personaId");

export function PersonaPage() {
  const place = usePlace();
  const { personaId } = route.useParams();
  const { data, error, refetch } = useQuery(personaQuery(place, personaId));
  if (data !== undefined) return <Editor key={personaId} persona={data} />;
  return (
    <Page title="Persona" above={<PersonasLink />}>
      {error ? <Failure error={error} again={refetch} /> : <Skeleton />}
    </Page>
  );
}

function Editor({ persona }: { persona: Persona }) {
  const place = usePlace();
  const { from, to } = route.useSearch();
  const { data: versions } = useQuery(personaVersionsQuery(place, persona.id));
  const editor = usePersonaEditor(persona);
  const isEditable = place.canWrite && persona.source === "own" && !persona.archived;
  useKeys({ "mod+s": editor.save }, isEditable);
  return (
    <Page
      title={persona.name}
      above={<PersonasLink />}
      actions={
        place.canWrite && (
          <>
            {editor.isChanged && (
              <WideOnly>
                <Button look="quiet" onClick={editor.discard}>
                  Discard
                </Button>
              </WideOnly>
            )}
            <PersonaActions persona={persona} isChanged={editor.isChanged} onDiscard={editor.discard} />
            {isEditable && (
              <Button look="primary" disabled={!editor.isChanged} busy={editor.isSaving} onClick={editor.save}>
                {editor.nextVersion === editor.base.version ? "Save" : `Save version ${editor.nextVersion}`}
              </Button>
            )}
          </>
        )
      }
    >
      <PersonaHead
        persona={persona}
        version={editor.base.version}
        isChanged={editor.isChanged}
        isStale={editor.isStale}
      />
      <EditorLayout
        form={
          <PersonaForm
            content={editor.content}
            errors={editor.errors}
            onChange={isEditable ? editor.change : undefined}
          />
        }
        aside={
          <>
            <VoiceSampleCard persona={persona} isChanged={editor.isChanged} />
            <CapabilitiesCard traits={editor.content.traits} models={editor.content.models} />
            <UsageCard persona={persona} />
            {versions && versions.length > 0 && (
              <VersionsCard
                versions={versions.map(({ version, createdAt, ...content }) => ({
                  version,
                  createdAt,
                  lines: personaLines(content),
                }))}
                from={from}
                to={to}
              />
            )}
          </>
        }
      />
      <EditMerge editor={editor} />
      <LeaveGuard isChanged={editor.isChanged} onDiscard={editor.discard} />
    </Page>
  );
}

type PersonaHeadProps = { persona: Persona; version: number; isChanged: boolean; isStale: boolean };

function PersonaHead({ persona, version, isChanged, isStale }: PersonaHeadProps) {
  const about = aboutPersona(persona, usePlace().canWrite);
  return (
    <>
      <RecordHead
        name={persona.name}
        version={version}
        isChanged={isChanged}
        savedMeanwhile={isStale ? persona.version : undefined}
      >
        {persona.source === "shipped" && <Chip>shipped</Chip>}
        {persona.isDefault && <Chip tone="accent">the project's default</Chip>}
        {persona.archived && <Chip tone="warning">archived</Chip>}
      </RecordHead>
      {about !== undefined && (
        <div className={styles["about"]}>
          <Notice>{about}</Notice>
        </div>
      )}
    </>
  );
}

function aboutPersona({ source, archived }: Persona, canWrite: boolean): string | undefined {
  if (source === "shipped")
    return `This persona ships with the service and does not change.${canWrite ? " Copy it to make your own." : ""}`;
  return archived
    ? "This persona is archived. New tests cannot name it. Tests that name it already keep it."
    : undefined;
}
