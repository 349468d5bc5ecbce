import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { RecordFailure } from "../ui/record-failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { BehaviorsTable } from "./behaviors-table.tsx";
import { GridLegend } from "./grid-legend.tsx";
import { shownTests } from "./grid-rows.ts";
import { OtherEndings } from "./other-endings.tsx";
import { flakyVersionsQuery, gridQuery, runQuery } from "./queries.ts";
import { RunActions } from "./run-actions.tsx";
import { RunGridTable } from "./run-grid.tsx";
import { RunHead } from "./run-head.tsx";
import { RunQueue } from "./run-queue.tsx";
import { isUnderWay, runName } from "./run-words.ts";
import { useRunEvents } from "./use-run-events.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/$runId");

/** One run: its result, every simulation as a cell, and the behaviors that failed. */
export function RunPage() {
  const { runId } = route.useParams();
  const place = usePlace();
  const { data: run, error, refetch } = useQuery(runQuery(place, runId));
  useRunEvents(runId, run !== undefined && isUnderWay(run));
  const above = (
    <Link to="/o/$organizationId/p/$project/runs" params={place.params}>
      Runs
    </Link>
  );
  if (run === undefined)
    return (
      <Page title="Run" above={above}>
        {error ? <NoRun error={error} again={refetch} /> : <Skeleton rows={10} />}
      </Page>
    );
  return (
    <Page title={runName(run)} above={above} actions={<RunActions run={run} />}>
      {error && <Failure error={error} again={refetch} />}
      <RunHead run={run} />
      <RunGridSection runId={runId} agentId={run.agentId} suiteId={run.suiteId} isOver={!isUnderWay(run)} />
      <RunQueue run={run} />
      <OtherEndings run={run} />
      <BehaviorsTable run={run} />
    </Page>
  );
}

type RunGridSectionProps = { runId: string; agentId: string; suiteId: string | null; isOver: boolean };

function RunGridSection({ runId, agentId, suiteId, isOver }: RunGridSectionProps) {
  const place = usePlace();
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: grid, error, refetch } = useQuery(gridQuery(place, runId));
  const { data: flaky } = useQuery({ ...flakyVersionsQuery(place, agentId, suiteId), enabled: isOver });
  if (grid === undefined) return error ? <Failure error={error} again={refetch} /> : <Skeleton rows={6} />;
  const failing = shownTests(grid, true);
  const shown = show === "failing" ? failing : grid.tests;
  return (
    <Section
      title="Tests by persona"
      note="each square is one iteration"
      action={
        <Segmented
          label="Shown tests"
          options={[
            { value: "all", label: "All" },
            { value: "failing", label: `Failing ${failing.length}` },
          ]}
          value={show ?? "all"}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, show: value === "failing" ? ("failing" as const) : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {shown.length === 0 ? (
        <Empty title="No test failed">
          <p>The run has {grid.tests.length} tests, and no simulation of them failed so far.</p>
        </Empty>
      ) : (
        <RunGridTable runId={runId} personas={grid.personas} tests={shown} flaky={flaky} />
      )}
      <GridLegend />
    </Section>
  );
}

function NoRun({ error, again }: { error: Error; again: () => unknown }) {
  const { params } = usePlace();
  return (
    <RecordFailure
      error={error}
      again={again}
      noun="run"
      action={
        <Link to="/o/$organizationId/p/$project/runs" params={params} className={buttonClass()}>
          Show the runs
        </Link>
      }
    />
  );
}
