import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { EditMerge } from "../editing/edit-merge.tsx";
import { EditorLayout, LeaveGuard, RecordHead, WideOnly } from "../editing/record-page.tsx";
import { VersionsCard } from "../editing/versions-card.tsx";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { TestsLink } from "./tests-link.tsx";
import { FormsCard } from "./form/forms-card.tsx";
import { TestForm } from "./form/test-form.tsx";
import { TestMenu } from "./test-menu.tsx";
import { testQuery, testResultsQuery, testVersionsQuery } from "./queries.ts";
import { type StoredTest, testLines } from "./test-content.ts";
import { useTestEditor } from "./use-test-editor.ts";
import { suitesQuery } from "../suites/queries.ts";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./test.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/tests/$testId");

export function TestPage() {
  const place = usePlace();
  const { testId } = route.useParams();
  const { data, error, refetch } = useQuery(testQuery(place, testId));
  if (data !== undefined) return <Editor key={testId} test={data} />;
  return (
    <Page title="Test" above={<TestsLink />}>
      {error ? <Failure error={error} again={refetch} /> : <Skeleton />}
    </Page>
  );
}

function Editor({ test }: { test: StoredTest }) {
  const place = usePlace();
  const { from, to } = route.useSearch();
  const { data: versions } = useQuery(testVersionsQuery(place, test.id));
  const editor = useTestEditor(test);
  useKeys({ "mod+s": editor.save }, place.canWrite);
  return (
    <Page
      title={test.name}
      above={<TestsLink />}
      actions={
        place.canWrite && (
          <>
            <WideOnly>
              {editor.isChanged && (
                <Button look="quiet" onClick={editor.discard}>
                  Discard
                </Button>
              )}
              <Link
                to="/o/$organizationId/p/$project/runs/new"
                params={place.params}
                search={{ test: test.id }}
                className={buttonClass()}
              >
                <Play size={14} aria-hidden />
                Try once
              </Link>
            </WideOnly>
            <TestMenu test={test} isChanged={editor.isChanged} onDiscard={editor.discard} />
            <Button look="primary" disabled={!editor.isChanged} busy={editor.isSaving} onClick={editor.save}>
              {editor.nextVersion === editor.base.version ? "Save" : `Save version ${editor.nextVersion}`}
            </Button>
          </>
        )
      }
    >
      <TestHead test={test} version={editor.base.version} isChanged={editor.isChanged} isStale={editor.isStale} />
      <EditorLayout
        form={
          <TestForm
            content={editor.content}
            errors={editor.errors}
            onChange={place.canWrite ? editor.change : undefined}
          />
        }
        aside={
          <>
            {versions && (
              <VersionsCard
                versions={versions.map((version) => ({
                  version: version.version,
                  createdAt: version.created_at,
                  lines: testLines(version),
                }))}
                from={from}
                to={to}
              />
            )}
            <ResultsCard testId={test.id} version={test.version} />
            {place.canWrite && <FormsCard />}
          </>
        }
      />
      <EditMerge editor={editor} />
      <LeaveGuard isChanged={editor.isChanged} onDiscard={editor.discard} />
    </Page>
  );
}

type TestHeadProps = { test: StoredTest; version: number; isChanged: boolean; isStale: boolean };

function TestHead({ test, version, isChanged, isStale }: TestHeadProps) {
  const place = usePlace();
  const { data: suites } = useQuery(suitesQuery(place));
  const suite = suites?.find(({ id }) => id === test.suite_id);
  return (
    <RecordHead
      name={test.name}
      version={version}
      isChanged={isChanged}
      savedMeanwhile={isStale ? test.version : undefined}
    >
      {suite && (
        <Link to="/o/$organizationId/p/$project/suites/$suiteId" params={{ ...place.params, suiteId: suite.id }}>
          suite {suite.name}
        </Link>
      )}
    </RecordHead>
  );
}

function ResultsCard({ testId, version }: { testId: string; version: number }) {
  const place = usePlace();
  const { data } = useQuery(testResultsQuery(place, testId));
  const results = data?.[0];
  if (results === undefined) return null;
  if (results.testVersion === null)
    return (
      <Card title="Results">
        <p className={styles["none"]}>No run has played this test yet.</p>
      </Card>
    );
  return (
    <Card
      title={results.testVersion === version ? "Results of this version" : `Results of version ${results.testVersion}`}
      action={results.flaky ? <Chip tone="inconclusive">flaky</Chip> : results.agentName}
    >
      <ul className={styles["runs"]}>
        {results.runs.map((run) => (
          <li key={run.runId}>
            <span className={styles["share"]}>
              <b>{run.passed}</b>/{run.played}
            </span>
            <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: run.runId }}>
              {run.runName ?? "Run"}
            </Link>
            <Time at={run.createdAt} />
          </li>
        ))}
      </ul>
      {results.flaky && (
        <p className={styles["why"]}>
          The verdict changes without a lasting cause: one run both passed and failed it, or it failed between passes.
        </p>
      )}
    </Card>
  );
}
