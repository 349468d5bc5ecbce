import type { Answer, Operations } from "@svc/sdk";
import { Chip, Verdict, type VerdictName, wordOf } from "../../ui/chip.tsx";
import { formatCost, formatMs, formatPercent } from "../../ui/format.ts";
import { Interval } from "../../ui/interval.tsx";
import { Progress } from "../../ui/progress.tsx";
import styles from "./run-head.module.css";
import { executionWords, gradingWords, hasRate, progressOf, rateWords } from "./run-words.ts";

type Run = Answer<Operations["runs"]["get"]>["run"];

/** What came out of a run: its pass rate, its verdicts, and apart from them whether it was played and graded. */
export function RunHead({ run }: { run: Run }) {
  const isOver = run.gradingSettled;
  return (
    <div className={styles["head"]}>
      <div>
        {hasRate(run) ? (
          <p className={styles["figure"]}>
            {formatPercent(run.passRate)} <small>passed</small>
          </p>
        ) : (
          <p className={styles["figure"]}>
            <small>{isOver ? "No pass rate" : "Running"}</small>
          </p>
        )}
        <p className={styles["words"]}>{rateWords(run)}</p>
        {hasRate(run) && (
          <Interval low={run.passRateLow} high={run.passRateHigh} value={run.passRate} label="Pass rate" />
        )}
      </div>
      <div className={styles["facts"]}>
        <div className={styles["verdicts"]}>
          <Count verdict="passed" count={run.passedVerdicts} />
          <Count verdict="failed" count={run.failedVerdicts} />
          <Count verdict="inconclusive" count={run.inconclusiveVerdicts} />
          <Count verdict="not_graded" count={run.notGradedVerdicts} />
          <Count verdict="errored" count={run.erroredVerdicts} />
          {run.pendingVerdicts > 0 && <Chip tone="plain">{run.pendingVerdicts} pending</Chip>}
        </div>
        <dl className={styles["list"]}>
          <Fact name="Execution" value={executionWords(run)} />
          <Fact name="Grading" value={gradingWords(run)} />
          <Fact name="Caller" value={run.callerModel ?? run.caller} />
          <Fact name="Connection" value={run.connectionType} />
          {run.startedAt !== null && run.endedAt !== null && (
            <Fact name="Took" value={formatMs(Date.parse(run.endedAt) - Date.parse(run.startedAt))} />
          )}
          {run.judgeRequests > 0 && (
            <Fact name="Judge" value={`${run.judgeRequests} requests, cost ${formatCost(run.judgeCost)}`} />
          )}
        </dl>
        {!isOver && <RunProgress run={run} />}
      </div>
    </div>
  );
}

function RunProgress({ run }: { run: Run }) {
  const { played, graded, all } = progressOf(run);
  return (
    <div className={styles["progress"]}>
      <Progress value={graded} max={all} label="Graded simulations" />
      <p role="status">
        {played} of {all} played, {graded} graded
      </p>
    </div>
  );
}

const Count = ({ verdict, count }: { verdict: VerdictName; count: number }) =>
  count === 0 ? (
    <Chip tone="plain">0 {wordOf(verdict).toLowerCase()}</Chip>
  ) : (
    <span className={styles["count"]}>
      <b>{count}</b>
      <Verdict verdict={verdict} />
    </span>
  );

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
