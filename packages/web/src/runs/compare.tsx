import type { Run, RunComparison } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { useMemo } from "react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import { ChangedPairs, ComparedTests } from "./compared-tests.tsx";
import styles from "./compare.module.css";
import { latencyHeadline, passingHeadline } from "./run-words.ts";
import { LatencyCard } from "./latency-card.tsx";
import { PassingCard } from "./passing-card.tsx";
import { comparisonQuery, gridQuery, runQuery } from "./queries.ts";
import { pairsOf, type SimulationPair } from "./side-by-side.ts";
import { Transcripts } from "./transcripts.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/runs/compare");

export function Compare() {
  const { first, second, pair } = route.useSearch();
  const { params } = usePlace();
  const navigate = route.useNavigate();
  const above = (
    <Link to="/o/$organizationId/p/$project/runs" params={params}>
      Runs
    </Link>
  );
  if (first === undefined || second === undefined)
    return (
      <Page title="Compare" above={above}>
        <Empty
          title="Choose two runs"
          action={
            <Link to="/o/$organizationId/p/$project/runs" params={params} className={buttonClass()}>
              Show the runs
            </Link>
          }
        >
          <p>Check two runs in the list, then press Compare.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title="Compare"
      above={above}
      actions={
        <>
          <Button
            look="quiet"
            onClick={() => void navigate({ search: { first: second, second: first }, replace: true })}
          >
            <ArrowLeftRight size={16} aria-hidden />
            Swap
          </Button>
        </>
      }
    >
      <ComparedRuns key={`${first} ${second}`} first={first} second={second} pairId={pair} />
    </Page>
  );
}

type ComparedRunsProps = { first: string; second: string; pairId: string | undefined };

function ComparedRuns({ first, second, pairId }: ComparedRunsProps) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(comparisonQuery(place, first, second));
  const before = useQuery(runQuery(place, first));
  const now = useQuery(runQuery(place, second));
  const grids = [useQuery(gridQuery(place, first)).data, useQuery(gridQuery(place, second)).data] as const;
  const pairs = useMemo(() => (grids[0] && grids[1] ? pairsOf(grids[0], grids[1]) : []), [grids[0], grids[1]]);
  if (error && data === undefined)
    return (
      <>
        <RunLinks runs={[before.data, now.data]} />
        <Failure error={error} again={refetch} />
      </>
    );
  if (data === undefined || before.data === undefined || now.data === undefined) {
    const failed = before.error ?? now.error;
    return failed ? <Failure error={failed} /> : <Skeleton rows={10} />;
  }
  const pair = pairs.find(({ firstId }) => firstId === pairId);
  return (
    <>
      <Comparison comparison={data} before={before.data} now={now.data} pairs={pairs} />
      {pair !== undefined && <Transcripts key={pair.testVersionId} pair={pair} pairs={pairs} />}
    </>
  );
}

type ComparisonProps = { comparison: RunComparison; before: Run; now: Run; pairs: readonly SimulationPair[] };

function Comparison({ comparison, before, now, pairs: simulationPairs }: ComparisonProps) {
  const { pairs, unpaired, decided, differences, words, passingSentence, latencySentence } = comparison;
  const notes = words
    .slice(differences.length > 0 ? 1 : 0)
    .filter((sentence) => sentence !== passingSentence && sentence !== latencySentence);
  return (
    <>
      <h2 className={styles["headline"]}>
        {passingHeadline(comparison)} {pairs > 0 && latencyHeadline(comparison)}
      </h2>
      <p className={styles["lede"]}>
        {formatPlural(pairs, "pair")} of the same test version, persona and iteration; {formatCount(unpaired)} had no
        partner. {formatCount(decided)} {decided === 1 ? "was" : "were"} decided on both sides.
      </p>
      {differences.length > 0 && <Notice kind="warning">{words[0]}</Notice>}
      {notes.length > 0 && <p className={styles["lede"]}>{notes.join(" ")}</p>}
      {pairs === 0 ? (
        <RunLinks runs={[before, now]} />
      ) : (
        <>
          <div className={styles["cards"]}>
            <PassingCard comparison={comparison} before={before} now={now} />
            <LatencyCard comparison={comparison} />
          </div>
          <ChangedPairs comparison={comparison} />
          <ComparedTests comparison={comparison} pairs={simulationPairs} />
        </>
      )}
    </>
  );
}

/** Links to the runs of a comparison that has no result. */
function RunLinks({ runs }: { runs: (Run | undefined)[] }) {
  const { params } = usePlace();
  return (
    <p className={styles["lede"]}>
      {runs.map(
        (run, at) =>
          run !== undefined && (
            <span key={run.id}>
              {at > 0 && " and "}
              <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId: run.id }}>
                <UserText inline text={run.name ?? run.suiteName ?? run.id} />
              </Link>
            </span>
          ),
      )}
    </p>
  );
}
