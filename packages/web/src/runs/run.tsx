import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { GitCompare, RotateCw } from "lucide-react";
import { useState } from "react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { BehaviorsTable } from "./run/behaviors-table.tsx";
import { Legend } from "./run/legend.tsx";
import { gridQuery, runQuery } from "./run/queries.ts";
import styles from "./run.module.css";
import { RunGrid } from "./run/run-grid.tsx";
import { RunHead } from "./run/run-head.tsx";
import { sizeWords } from "./run/run-words.ts";
import { useRunEvents } from "./run/use-run-events.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/$runId");

/** One run: its result, every simulation as a square, and the behaviors that did not pass. */
export function RunPage() {
  const place = usePlace();
  const { runId } = route.useParams();
  const { show = "all" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: run, error, refetch } = useQuery(runQuery(place, runId));
  const grid = useQuery(gridQuery(place, runId));
  useRunEvents(place, runId, run?.gradingSettled === false);

  if (error) return <Page title="Run">{<Failure error={error} again={refetch} />}</Page>;
  if (!run) return <Page title="Run">{<Skeleton rows={12} />}</Page>;
  const name = run.name ?? run.suiteName ?? run.agentName;
  const failing = grid.data?.tests.filter(({ failed }) => failed > 0) ?? [];
  const shown = grid.data && (show === "failing" ? { ...grid.data, tests: failing } : grid.data);
  return (
    <Page
      title={name}
      above={
        <Link to="/o/$organizationId/p/$project/runs" params={place.params}>
          Runs
        </Link>
      }
      actions={
        <>
          {place.canWrite && !run.gradingSettled && run.status !== "canceled" && <Cancel runId={runId} />}
          <Link
            to="/o/$organizationId/p/$project/runs/compare"
            params={place.params}
            search={{ second: runId }}
            className={buttonClass()}
          >
            <GitCompare size={16} strokeWidth={1.75} aria-hidden />
            Compare
          </Link>
          {place.canWrite && (
            <Link
              to="/o/$organizationId/p/$project/runs/new"
              params={place.params}
              search={{ again: runId }}
              className={buttonClass()}
            >
              <RotateCw size={16} strokeWidth={1.75} aria-hidden />
              Run again
            </Link>
          )}
        </>
      }
    >
      <p className={styles["about"]}>
        <Link to="/o/$organizationId/p/$project/agents/$agentId" params={{ ...place.params, agentId: run.agentId }}>
          <UserText inline text={run.agentName} />
        </Link>{" "}
        · {sizeWords(run)} · <Time at={run.createdAt} absolute />
      </p>
      <RunHead run={run} />
      {run.erroredVerdicts > 0 && (
        <Notice>
          {run.erroredVerdicts} of {run.simulationCount} simulations ended in an error of the service or the network.
          They say nothing about the agent, and the pass rate leaves them out.
        </Notice>
      )}
      <Section
        title="Tests by persona"
        note="each square is one iteration"
        action={
          <Segmented
            label="Tests"
            value={show}
            options={[
              { value: "all", label: "All" },
              { value: "failing", label: `Failing ${failing.length}` },
            ]}
            onChange={(value) =>
              void navigate({ search: { show: value === "failing" ? value : undefined }, replace: true })
            }
          />
        }
      >
        {grid.error && <Failure error={grid.error} again={grid.refetch} />}
        {grid.isPending && <Skeleton rows={5} />}
        {shown && shown.tests.length > 0 && <RunGrid grid={shown} runId={runId} />}
        {shown && shown.tests.length === 0 && <p>No test failed.</p>}
        <Legend />
      </Section>
      <BehaviorsTable runId={runId} graded={run.simulationCount - run.pendingVerdicts} />
      <Section title="In a pipeline" note="exits with 1 when a simulation failed">
        <CopyLine text={`npx svc runs watch ${runId}`} />
      </Section>
    </Page>
  );
}

function Cancel({ runId }: { runId: string }) {
  const { client } = usePlace();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel({ runId }),
    onSuccess: async () => {
      setAsking(false);
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Cancel
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this run?"
          action="Cancel the run"
          busy={cancel.isPending}
          error={cancel.error}
          onClose={() => setAsking(false)}
          onConfirm={() => cancel.mutate()}
        >
          <p>Simulations that are not played yet are left out. Results so far stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
