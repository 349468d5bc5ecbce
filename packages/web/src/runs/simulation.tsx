import type { Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { marksOfGrades } from "../conversations/timeline/marks.ts";
import { Timeline } from "../conversations/timeline/timeline.tsx";
import styles from "../conversations/timeline/page.module.css";
import { useTimelineView } from "../conversations/timeline/view.ts";
import { recordingQuery, usePlayable } from "../conversations/sound/queries.ts";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { RecordFailure } from "../ui/record-failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { UserText } from "../ui/user-text.tsx";
import { endingWords, partyWords } from "./ending-words.ts";
import { runQuery, simulationQuery, simulationTraceQuery } from "./queries.ts";
import { runName } from "./run-words.ts";
import { PlayedScenario } from "./played-scenario.tsx";
import { SimulationActions } from "./simulation-actions.tsx";
import { SimulationHead } from "./simulation-head.tsx";
import { SimulationInspector } from "./simulation-inspector.tsx";
import type { SimulationTab } from "./simulation-tabs.ts";
import { toolFactsOf } from "./tool-facts.ts";
import { useRegrade } from "./use-regrade.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId");

/** One conversation of a run with its verdicts and the words that show them. */
export function SimulationPage() {
  const { runId, simulationId } = route.useParams();
  const place = usePlace();
  const { data: run } = useQuery(runQuery(place, runId));
  const { data: simulation, error, refetch } = useQuery(simulationQuery(place, simulationId));
  const regrade = useRegrade();
  const above = (
    <>
      <Link to="/o/$organizationId/p/$project/runs" params={place.params}>
        Runs
      </Link>
      /
      <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId }}>
        {run === undefined ? "Run" : runName(run)}
      </Link>
    </>
  );
  if (simulation === undefined)
    return (
      <Page title="Simulation" above={above}>
        {error ? <NoSimulation runId={runId} error={error} again={refetch} /> : <Skeleton rows={10} />}
      </Page>
    );
  return (
    <Page
      title={`${simulation.testName}, ${simulation.personaName}, ${simulation.iteration}`}
      above={above}
      actions={<SimulationActions simulation={simulation} regrade={regrade} />}
      full
    >
      {error && (
        <div className={styles["padded"]}>
          <Failure error={error} again={refetch} />
        </div>
      )}
      {regrade.error && regrade.variables === simulation.id && (
        <div className={styles["padded"]}>
          <Failure error={regrade.error} again={() => regrade.mutate(simulation.id)} />
        </div>
      )}
      <SimulationHead simulation={simulation} iterations={run?.iterations} />
      <PlayedConversation key={simulation.id} simulation={simulation} />
    </Page>
  );
}

function PlayedConversation({ simulation }: { simulation: Simulation }) {
  const place = usePlace();
  const navigate = useNavigate();
  const view = useTimelineView();
  const { tab = "verdicts" } = route.useSearch();
  const {
    data: conversation,
    error,
    refetch,
  } = useQuery(simulationTraceQuery(place, simulation.traceId, simulation.grading === "settled"));
  const traceId = simulation.traceId ?? "";
  const { data: recording } = useQuery({ ...recordingQuery(place, traceId), enabled: conversation !== undefined });
  const playable = usePlayable(recording, place, traceId);
  const [selectedMark, setSelectedMark] = useState<string>();
  const { numbers, marks } = useMemo(() => marksOfGrades(simulation.grades), [simulation.grades]);
  const toolFacts = useMemo(
    () => toolFactsOf(simulation.toolCalls, conversation?.toolCalls ?? []),
    [simulation.toolCalls, conversation],
  );
  const change = (changed: { tab?: SimulationTab | undefined; turn?: number | undefined }) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
      resetScroll: false,
    });
  const selectMark = (id: string) => {
    const shown = marks.find((mark) => mark.id === id);
    const grade = simulation.grades.find((each) => each.id === id);
    setSelectedMark(id);
    change({ tab: grade?.counts === false ? "also" : undefined, ...(shown && { turn: shown.turn }) });
  };
  const inspector = (
    <SimulationInspector
      simulation={simulation}
      conversation={conversation}
      turn={view.turn ?? marks[0]?.turn}
      tab={tab}
      onTab={(selected) => change({ tab: selected === "verdicts" ? undefined : selected })}
      onTurn={view.selectTurn}
      numbers={numbers}
      selectedMark={selectedMark}
      onSelectMark={selectMark}
    />
  );
  if (conversation === undefined)
    return (
      <div className={styles["padded"]}>
        {simulation.traceId === null ? (
          <Empty title={simulation.endedAt === null ? "It has not begun" : "Nothing was said"}>
            <p>
              {simulation.message ??
                (simulation.endedAt === null
                  ? "The conversation appears here when it has ended."
                  : `${endingWords(simulation.endingReason)}.`)}
            </p>
          </Empty>
        ) : error && simulation.grading === "settled" ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Skeleton rows={8} />
        )}
        {simulation.grades.length > 0 && inspector}
        <PlayedScenario simulation={simulation} />
      </div>
    );
  return (
    <Timeline
      conversation={conversation}
      recording={playable}
      view={{ ...view, turn: view.turn ?? marks[0]?.turn }}
      marks={marks}
      selectedMark={selectedMark}
      onSelectMark={selectMark}
      toolFacts={toolFacts}
      inspector={inspector}
      ending={<Ending simulation={simulation} />}
      below={<PlayedScenario simulation={simulation} />}
    />
  );
}

function Ending({ simulation: { endingReason, endedBy, message } }: { simulation: Simulation }) {
  if (endingReason === null) return "The simulation goes on.";
  return (
    <>
      {endingWords(endingReason)}
      {endedBy !== null && endedBy !== "agent" && endedBy !== "caller" && `, caused by ${partyWords(endedBy)}`}.
      {message !== null && (
        <>
          {" "}
          <UserText inline text={message} />
        </>
      )}
    </>
  );
}

function NoSimulation({ runId, error, again }: { runId: string; error: Error; again: () => unknown }) {
  const { params } = usePlace();
  return (
    <RecordFailure
      error={error}
      again={again}
      noun="simulation"
      action={
        <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...params, runId }} className={buttonClass()}>
          Show the run
        </Link>
      }
    />
  );
}
