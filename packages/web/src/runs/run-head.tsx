import type { Run } from "@svc/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePlace } from "../shell/place.ts";
import { formatCost, formatCount, formatPercent } from "../ui/format.ts";
import { Interval } from "../ui/small-plots.tsx";
import { Notice } from "../ui/notice.tsx";
import { Progress } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { NoticeButton } from "./end-notice.tsx";
import styles from "./run-head.module.css";
import {
  executionWords,
  gradedCount,
  gradingWords,
  isUnderWay,
  playedCount,
  runDuration,
  runName,
  runSize,
  shownRate,
} from "./run-words.ts";
import { VerdictChips } from "./verdict-counts.tsx";

export function RunHead({ run }: { run: Run }) {
  const { params } = usePlace();
  const rate = shownRate(run);
  return (
    <>
      <div className={styles["title"]}>
        <h2>
          <UserText inline text={runName(run)} />
        </h2>
        <span>
          <Link to="/o/$organizationId/p/$project/agents/$agentId" params={{ ...params, agentId: run.agentId }}>
            <UserText inline text={run.agentName} />
          </Link>
          {" · "}
          {runSize(run)}
          {" · "}
          <Time at={run.createdAt} absolute />
          {run.scheduleId !== null && (
            <>
              {" · "}
              <Link
                to="/o/$organizationId/p/$project/schedules/$scheduleId"
                params={{ ...params, scheduleId: run.scheduleId }}
              >
                <UserText inline text={run.scheduleName ?? "a deleted schedule"} />
              </Link>
            </>
          )}
          {run.startedBy !== null && (
            <>
              {" · started "}
              <Starter starter={run.startedBy} />
            </>
          )}
        </span>
      </div>
      <div className={styles["top"]}>
        <div>
          <p className={styles["figure"]}>
            {rate.value !== null
              ? formatPercent(rate.value)
              : run.decidedSimulations === 0
                ? "–"
                : formatCount(run.passedVerdicts)}
            <small>passed</small>
          </p>
          <p className={styles["words"]}>{rate.words}</p>
          <div className={styles["interval"]}>
            <Interval low={rate.low} high={rate.high} value={rate.value} label="Pass rate" />
          </div>
        </div>
        <div className={styles["side"]}>
          <VerdictChips run={run} />
          <dl className={styles["facts"]}>
            {factsOf(run).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      </div>
      {isUnderWay(run) && <RunProgress run={run} />}
      {(run.notes ?? []).map((note) => (
        <div key={note} className={styles["notice"]}>
          <Notice kind="warning">{note}</Notice>
        </div>
      ))}
      {run.status === "canceled" && (
        <div className={styles["notice"]}>
          <Notice kind="warning">
            {run.stopReason === "agent_unreachable"
              ? "The run stopped early, because three simulations in a row got no answer from the agent."
              : "A person canceled the run. Simulations that had ended keep their verdicts."}
          </Notice>
        </div>
      )}
    </>
  );
}

function Starter({ starter: { kind, name } }: { starter: NonNullable<Run["startedBy"]> }) {
  if (name === null) return kind === "key" ? "with an API key" : "by a person whose account is deleted";
  return (
    <>
      {kind === "key" ? "with the key " : "by "}
      <UserText inline text={name} />
    </>
  );
}

function factsOf(run: Run): [name: string, value: ReactNode][] {
  const took = runDuration(run);
  return [
    ["Execution", executionWords(run)],
    ["Grading", gradingWords(run)],
    ["Caller", run.callerModel === null ? run.caller : `${run.caller}, ${run.callerModel}`],
    ["Connection", run.connectionType],
    ...(took === null ? [] : [["Took", took] as [string, string]]),
    ...(run.undecidedSimulations > 0 || run.decidedBehaviors < run.behaviorCount
      ? [
          ["Behaviors graded", `${formatCount(run.decidedBehaviors)} of ${formatCount(run.behaviorCount)}`] as [
            string,
            string,
          ],
        ]
      : []),
    ...(run.judgeRequests > 0
      ? [
          [
            "Judge",
            `${formatCount(run.judgeRequests)} requests${run.judgeCost === null ? "" : `, ${formatCost(run.judgeCost)}`}`,
          ] as [string, string],
        ]
      : []),
  ];
}

function RunProgress({ run }: { run: Run }) {
  const words = `${executionWords(run)}, ${formatCount(gradedCount(run))} graded`;
  return (
    <div className={styles["progress"]}>
      <Progress value={playedCount(run) + gradedCount(run)} max={run.simulationCount * 2} label={words} />
      <span aria-live="polite">
        {words}
        {run.runningCount > 0 && `, ${formatCount(run.runningCount)} running`}
      </span>
      <NoticeButton />
    </div>
  );
}
