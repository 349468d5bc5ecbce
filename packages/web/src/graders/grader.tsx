import type { Grader } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Archive, ArchiveRestore } from "lucide-react";
import { useState } from "react";
import { queries, refresh } from "../queries.ts";
import { EditorLayout } from "../editing/record-page.tsx";
import { VersionsCard } from "../editing/versions-card.tsx";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { RecordFailure } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import { AgreementCard } from "./agreement-card.tsx";
import { decidedByWords, definitionLines, definitionSentence } from "./definition.ts";
import { DefinitionEditor } from "./definition-editor.tsx";
import styles from "./graders.module.css";
import { GradersLink } from "./graders-link.tsx";
import { LabelsCard } from "./labels-card.tsx";
import { graderQuery, graderVersionsQuery } from "./queries.ts";
import { SettingsCard } from "./settings-fields.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/graders/$graderId");

export function GraderPage() {
  const { graderId } = route.useParams();
  const place = usePlace();
  const { data: grader, error, refetch } = useQuery(graderQuery(place, graderId));
  if (grader === undefined)
    return (
      <Page title="Grader" above={<GradersLink />}>
        {error ? <NoGrader error={error} again={refetch} /> : <Skeleton rows={8} />}
      </Page>
    );
  const isOwn = grader.source === "own";
  const canEdit = place.canWrite && isOwn && !grader.archived;
  return (
    <Page
      title={grader.name}
      above={<GradersLink />}
      actions={
        <>
          {grader.archived && <Chip tone="warning">archived</Chip>}
          {place.canWrite && isOwn && <ArchiveButton grader={grader} />}
        </>
      }
    >
      {error && <Failure error={error} again={refetch} />}
      <EditorLayout
        form={
          <div>
            {canEdit ? <DefinitionEditor key={grader.id} grader={grader} /> : <DefinitionCard grader={grader} />}
            <AgreementCard graderId={graderId} />
            <LabelsCard graderId={graderId} />
          </div>
        }
        aside={
          <>
            <SettingsCard grader={grader} />
            {isOwn && <Versions graderId={graderId} />}
          </>
        }
      />
    </Page>
  );
}

const DefinitionCard = ({ grader: { definition, source } }: { grader: Grader }) => (
  <Card title="What it decides" note={`by ${decidedByWords(definition)}${source === "shipped" ? ", shipped" : ""}`}>
    <p className={styles["sentence"]}>
      <UserText text={definitionSentence(definition)} />
    </p>
    {definition.kind === "llm" && (
      <>
        {definition.passesWhen !== undefined && (
          <p className={styles["sentence"]}>
            Passes when: <UserText inline text={definition.passesWhen} />
          </p>
        )}
        {definition.failsWhen !== undefined && (
          <p className={styles["sentence"]}>
            Fails when: <UserText inline text={definition.failsWhen} />
          </p>
        )}
      </>
    )}
  </Card>
);

function Versions({ graderId }: { graderId: string }) {
  const { from, to } = route.useSearch();
  const { data: versions } = useQuery(graderVersionsQuery(usePlace(), graderId));
  if (versions === undefined) return null;
  return (
    <VersionsCard
      versions={versions.map(({ version, createdAt, definition }) => ({
        version,
        createdAt,
        lines: definitionLines(definition),
      }))}
      from={from}
      to={to}
    />
  );
}

function NoGrader({ error, again }: { error: Error; again: () => unknown }) {
  const { params } = usePlace();
  return (
    <RecordFailure
      error={error}
      again={again}
      noun="grader"
      action={
        <Link to="/o/$organizationId/p/$project/graders" params={params} className={buttonClass()}>
          Show the graders
        </Link>
      }
    />
  );
}

function ArchiveButton({ grader }: { grader: Grader }) {
  const place = usePlace();
  const [asks, setAsks] = useState(false);
  const { archive, restore } = place.client.graders;
  const change = async () => {
    const input = { graderId: grader.id, projectId: place.projectId };
    const { grader: changed } = await (grader.archived ? restore(input) : archive(input));
    queries.setQueryData(graderQuery(place, grader.id).queryKey, changed);
    void refresh(place, "graders.list");
  };
  const Icon = grader.archived ? ArchiveRestore : Archive;
  return (
    <>
      <Button onClick={() => setAsks(true)}>
        <Icon size={16} aria-hidden />
        {grader.archived ? "Restore" : "Archive"}
      </Button>
      {asks && (
        <ConfirmDialog
          title={grader.archived ? "Restore the grader?" : "Archive the grader?"}
          action={grader.archived ? "Restore the grader" : "Archive the grader"}
          act={change}
          onClose={() => setAsks(false)}
        >
          <p>
            {grader.archived
              ? "Later runs use it again, with its present settings."
              : "Later runs do not use it. Its grades stay, and it can be restored."}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
