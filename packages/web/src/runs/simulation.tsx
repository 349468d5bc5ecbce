import type { Grade, Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { TimelineProvider } from "../conversations/timeline/context.tsx";
import styles from "../conversations/timeline/page.module.css";
import { Timeline } from "../conversations/timeline/timeline.tsx";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty, RecordFailure } from "../ui/empty.tsx";
import { wordOf } from "../ui/chip.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { UserText } from "../ui/user-text.tsx";
import { useEndNotice } from "./end-notice.tsx";
import { endingWords, partyWords, runName } from "./run-words.ts";
import { isAwaited, playedVersionQuery, runQuery, simulationQuery, simulationTraceQuery } from "./queries.ts";
import { SimulationActions, useRegrade } from "./simulation-actions.tsx";
import { SimulationHead } from "./simulation-head.tsx";
import { SimulationInspector, toolFactsOf } from "./simulation-inspector.tsx";
import { UnderWay } from "./simulation-progress.tsx";
import simulationStyles from "./simulation.module.css";
import { useSimulationEvents } from "./use-simulation-events.ts";

const route = getRouteApi("/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId");

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
      title={titleOf(simulation)}
      state={stateOf(simulation)}
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
      <PlayedConversation key={simulation.id} simulation={simulation} iterations={run?.iterations} />
    </Page>
  );
}

const titleOf = ({ testName, personaName, iteration }: Simulation) => `${testName}, ${personaName}, ${iteration}`;

const stateOf = ({ verdict, grading, status }: Simulation): string =>
  grading !== "settled" ? "Under way" : verdict === null ? status : wordOf(verdict);

const gradeTab = (grade: Grade | undefined) => (grade?.counts === false ? "also" : undefined);

type PlayedConversationProps = { simulation: Simulation; iterations: number | undefined };

function PlayedConversation({ simulation, iterations }: PlayedConversationProps) {
  const place = usePlace();
  const { data: conversation, error, refetch } = useQuery(simulationTraceQuery(place, simulation));
  const toolFacts = useMemo(
    () => toolFactsOf(simulation.toolCalls, conversation?.toolCalls ?? []),
    [simulation.toolCalls, conversation],
  );
  const { turns, interruptions } = useSimulationEvents(simulation);
  useEndNotice({
    isOver: simulation.grading === "settled",
    name: titleOf(simulation),
    result: stateOf(simulation),
  });
  const inspector = <SimulationInspector simulation={simulation} isKnown={conversation !== undefined} />;
  const scenario = <PlayedScenario simulation={simulation} />;
  return (
    <TimelineProvider
      conversation={conversation}
      grades={simulation.grades}
      toolFacts={toolFacts}
      turnTab="turn"
      gradeTab={gradeTab}
    >
      <SimulationHead simulation={simulation} iterations={iterations} interruptions={interruptions} />
      {conversation !== undefined ? (
        <Timeline inspector={inspector} ending={<Ending simulation={simulation} />} below={scenario} />
      ) : (
        <div className={styles["padded"]}>
          {simulation.grading !== "settled" ? (
            <UnderWay simulation={simulation} turns={turns} />
          ) : simulation.traceId === null ? (
            <NothingSaid simulation={simulation} />
          ) : error && !isAwaited(simulation) ? (
            <Failure error={error} again={refetch} />
          ) : (
            <Skeleton rows={8} />
          )}
          {(simulation.grades.length > 0 || simulation.line !== null) && inspector}
          {scenario}
        </div>
      )}
    </TimelineProvider>
  );
}

const NothingSaid = ({ simulation: { endingReason, message } }: { simulation: Simulation }) => (
  <Empty title="Nothing was said">
    <p>{message ?? `${endingWords(endingReason)}.`}</p>
  </Empty>
);

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

function PlayedScenario({ simulation }: { simulation: Simulation }) {
  const place = usePlace();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery(playedVersionQuery(place, simulation.testVersionId, isOpen));
  return (
    <details className={simulationStyles["scenario"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Scenario that was played, version {simulation.testVersion}</summary>
      {error && <Failure error={error} />}
      {data && <pre dir="auto">{data.scenario}</pre>}
    </details>
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
