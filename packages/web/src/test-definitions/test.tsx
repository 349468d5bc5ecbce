import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { EditMerge } from "../editing/edit-merge.tsx";
import { LeaveGuard } from "../editing/leave-guard.tsx";
import { EditorLayout, WideOnly } from "../editing/editor-layout.tsx";
import { VersionsCard } from "../editing/versions-card.tsx";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { TestsLink } from "./tests-link.tsx";
import { FormsCard } from "./form/forms-card.tsx";
import { TestForm } from "./form/test-form.tsx";
import { TestHead } from "./test-head.tsx";
import { TestMenu } from "./test-menu.tsx";
import { testQuery, testVersionsQuery } from "./queries.ts";
import { ResultsCard } from "./results-card.tsx";
import type { StoredTest } from "./test-content.ts";
import { testLines } from "./test-lines.ts";
import { useTestEditor } from "./use-test-editor.ts";

const route = getRouteApi("/o/$organizationId/p/$project/tests/$testId");

/** One test: its content, versions and results. */
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
