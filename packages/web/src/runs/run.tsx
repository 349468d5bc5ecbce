import type { Run, SimulationSummary } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { queries } from "../queries.ts";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Empty, RecordFailure } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import { BehaviorsTable } from "./behaviors-table.tsx";
import { Cell } from "./cell.tsx";
import { useEndNotice } from "./end-notice.tsx";
import { endingWords, isUnderWay, partyWords, runName, runState } from "./run-words.ts";
import { type CellLook, shownTests } from "./grid-rows.ts";
import { brokenSimulationsQuery, flakyVersionsQuery, gridQuery, runQuery } from "./queries.ts";
import { RunActions } from "./run-actions.tsx";
import { RunGridTable } from "./run-grid.tsx";
import styles from "./run-grid.module.css";
import { RunHead } from "./run-head.tsx";
import { RunQueue } from "./run-queue.tsx";
import { useRunEvents } from "./use-run-events.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  const place = usePlace();
  const query = runQuery(place, runId);
  const known = queries.getQueryData(query.queryKey);
  // A hidden tab says in its title when the run ends.
  const {
    data: run,
    error,
    refetch,
  } = useQuery({
    ...query,
    refetchIntervalInBackground: known !== undefined && isUnderWay(known),
  });
  useRunEvents(runId, run !== undefined && isUnderWay(run));
  useEndNotice({
    isOver: run && !isUnderWay(run),
    name: run === undefined ? "" : runName(run),
    result: run === undefined ? "" : runState(run),
  });
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
    <Page title={runName(run)} state={runState(run)} above={above} actions={<RunActions run={run} />}>
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

/** Simulations that could not be played to their end do not count as failures of the agent. */
function OtherEndings({ run }: { run: Run }) {
  const place = usePlace();
  const { data } = useQuery(brokenSimulationsQuery(place, run.id, run.failedCount));
  if (run.failedCount === 0 || data === undefined) return null;
  const groups = Map.groupBy(data, ({ endingReason }) => endingReason);
  return (
    <Section title="Not played to an end" note="no failures: they have no verdict on the agent">
      <Table
        label="Not played to an end"
        columns={[
          { head: "Ending" },
          { head: "Caused by" },
          { head: "Simulations", numeric: true },
          { head: "For example", wideOnly: true, width: "45%" },
        ]}
      >
        {[...groups].map(([reason, simulations]) => (
          <EndingRow key={reason} simulations={simulations} runId={run.id} />
        ))}
      </Table>
    </Section>
  );
}

function EndingRow({ simulations, runId }: { simulations: readonly SimulationSummary[]; runId: string }) {
  const { params } = usePlace();
  const example = simulations[0]!;
  return (
    <tr>
      <td>{endingWords(example.endingReason)}</td>
      <td>{partyWords(example.endedBy)}</td>
      <td className={tables["num"]}>{simulations.length}</td>
      <td className={classes(tables["wideOnly"], tables["clip"])}>
        <Link
          to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
          params={{ ...params, runId, simulationId: example.id }}
        >
          <UserText inline text={example.message ?? `${example.testName}, ${example.personaName}`} />
        </Link>
      </td>
    </tr>
  );
}

const LEGEND: { look: CellLook; isPartly?: boolean; words: string }[] = [
  { look: "passed", words: "Passed" },
  { look: "passed", isPartly: true, words: "Passed, not every behavior graded" },
  { look: "failed", words: "Failed" },
  { look: "inconclusive", words: "Inconclusive" },
  { look: "not_graded", words: "Not graded" },
  { look: "errored", words: "Errored, says nothing about the agent" },
  { look: "running", words: "Running" },
];

const GridLegend = () => (
  <ul className={styles["legend"]}>
    {LEGEND.map(({ words, ...shape }) => (
      <li key={words}>
        <Cell {...shape} />
        {words}
      </li>
    ))}
  </ul>
);
