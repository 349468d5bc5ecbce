import type { Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import page from "../conversations/timeline/page.module.css";
import { Reasons } from "../conversations/timeline/reasons.tsx";
import { usePlace } from "../shell/place.ts";
import { Chip, Verdict } from "../ui/chip.tsx";
import { formatCount, formatMs, formatPlural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { UserText } from "../ui/user-text.tsx";
import { cellClass, CellIcon } from "./cell.tsx";
import { endingWords, errorOwner, partyWords } from "./run-words.ts";
import { cellLook, cellTitle, isPartlyGraded } from "./grid-rows.ts";
import { gridQuery, simulationTraceQuery } from "./queries.ts";
import { Interruptions } from "./simulation-progress.tsx";
import styles from "./simulation.module.css";
import type { Progress } from "./use-simulation-events.ts";

type SimulationHeadProps = Pick<Progress, "interruptions"> & {
  simulation: Simulation;
  iterations: number | undefined;
};

export function SimulationHead({ simulation, iterations, interruptions }: SimulationHeadProps) {
  const { verdict, testName, personaName, iteration, status, grading, message } = simulation;
  const owner = errorOwner(simulation);
  return (
    <div className={page["head"]}>
      <div className={page["title"]}>
        {verdict === null ? (
          <Chip tone={status === "canceled" ? "plain" : "accent"}>
            {grading === "settled" ? status : waitWords(simulation)}
          </Chip>
        ) : (
          <Verdict verdict={verdict} />
        )}
        <h2>
          <UserText inline text={testName} />
        </h2>
        <span className={page["muted"]}>
          <bdi>{personaName}</bdi>, iteration {iteration}
          {iterations !== undefined && ` of ${iterations}`}
        </span>
        {verdict !== null && grading !== "settled" && <Chip tone="accent">being graded again</Chip>}
        <QualityNotes simulation={simulation} />
      </div>
      <Reasons grades={simulation.grades} />
      <dl className={styles["facts"]}>
        {factsOf(simulation).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <Siblings simulation={simulation} />
        {simulation.traceId !== null && (
          <div>
            <dt>Conversation</dt>
            <dd>
              <ConversationLink traceId={simulation.traceId} tab="measures">
                Measures
              </ConversationLink>
            </dd>
          </div>
        )}
      </dl>
      {(owner !== undefined || interruptions.length > 0) && (
        <div className={page["notices"]}>
          <Interruptions interruptions={interruptions} />
          {owner !== undefined && (
            <Notice kind="warning">
              {owner} {message !== null && <UserText inline text={message} />}
            </Notice>
          )}
        </div>
      )}
    </div>
  );
}

const waitWords = ({ queuePosition }: Simulation): string =>
  queuePosition === null ? "under way" : `place ${queuePosition} in the queue`;

function factsOf(simulation: Simulation): [name: string, value: ReactNode][] {
  const { endingReason, endedBy, behaviorsGraded, behaviorCount, turnCount, durationMs, attempt, gradings } =
    simulation;
  return [
    ["Ended", <span title={endingWords(endingReason)}>{endedBy === null ? "–" : `by ${partyWords(endedBy)}`}</span>],
    ["Behaviors graded", `${behaviorsGraded} of ${behaviorCount}`],
    ["Turns", turnCount],
    ["Length", formatMs(durationMs)],
    ...lossFact(simulation),
    ["Attempt", attempt],
    ...(gradings > 1 ? [["Gradings", gradings] as [string, ReactNode]] : []),
  ];
}

function lossFact({ line }: Simulation): [name: string, value: ReactNode][] {
  const { packets = 0, lost = null, late = null } = line?.received ?? {};
  if (lost === null || late === null) return [];
  return [["Packets not heard", `${formatCount(lost + late)} of ${formatCount(packets + lost)}`]];
}

type ConversationLinkProps = { traceId: string; tab: "measures" | "quality"; children: ReactNode };

function ConversationLink({ traceId, tab, children }: ConversationLinkProps) {
  const { params } = usePlace();
  return (
    <Link
      to="/o/$organizationId/p/$project/conversations/$traceId"
      params={{ ...params, traceId }}
      search={{ tab }}
      className={styles["link"]}
    >
      {children}
    </Link>
  );
}

function QualityNotes({ simulation }: { simulation: Simulation }) {
  const { traceId } = simulation;
  const { data: conversation } = useQuery(simulationTraceQuery(usePlace(), simulation));
  const notes = conversation?.quality.notes ?? [];
  if (traceId === null || notes.length === 0) return null;
  const isTimed = notes.every(({ about }) => about !== "call_timing");
  return (
    <ConversationLink traceId={traceId} tab="quality">
      <Chip tone="warning" icon={TriangleAlert}>
        {isTimed ? `${formatPlural(notes.length, "note")} on quality` : "times are not reliable"}
      </Chip>
    </ConversationLink>
  );
}

function Siblings({ simulation }: { simulation: Simulation }) {
  const place = usePlace();
  const { data: grid } = useQuery(gridQuery(place, simulation.runId));
  const test = grid?.tests.find(({ testVersionId }) => testVersionId === simulation.testVersionId);
  const siblings = (test?.simulations ?? [])
    .filter(({ personaId }) => personaId === simulation.personaId)
    .toSorted((a, b) => a.iteration - b.iteration);
  if (siblings.length < 2) return null;
  return (
    <div>
      <dt>Same test, other iterations</dt>
      <dd className={styles["siblings"]}>
        {siblings.map((sibling) => {
          const title = cellTitle(simulation.testName, simulation.personaName, sibling);
          const look = cellLook(sibling);
          return (
            <Link
              key={sibling.id}
              to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
              params={{ ...place.params, runId: simulation.runId, simulationId: sibling.id }}
              className={cellClass({
                look,
                isPartly: isPartlyGraded(sibling),
                isCurrent: sibling.id === simulation.id,
              })}
              title={title}
              aria-label={title}
            >
              <CellIcon look={look} />
            </Link>
          );
        })}
      </dd>
    </div>
  );
}
