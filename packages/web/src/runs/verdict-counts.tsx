import type { Run } from "@svc/contract";
import { Check, X } from "lucide-react";
import { Chip, VerdictIcon } from "../ui/chip.tsx";
import { formatCount } from "../ui/format.ts";
import styles from "./runs.module.css";

type Counts = Pick<
  Run,
  "passedVerdicts" | "failedVerdicts" | "inconclusiveVerdicts" | "erroredVerdicts" | "notGradedVerdicts"
>;

/** Errored simulations have a chip of their own, because they are no failures of the agent. */
export function VerdictChips({ run }: { run: Counts }) {
  return (
    <div className={styles["chips"]}>
      <Chip tone={run.passedVerdicts > 0 ? "passed" : "plain"} {...(run.passedVerdicts > 0 && { icon: Check })}>
        {formatCount(run.passedVerdicts)} passed
      </Chip>
      <Chip tone={run.failedVerdicts > 0 ? "failed" : "plain"} {...(run.failedVerdicts > 0 && { icon: X })}>
        {formatCount(run.failedVerdicts)} failed
      </Chip>
      <Chip tone={run.inconclusiveVerdicts > 0 ? "inconclusive" : "plain"}>
        {formatCount(run.inconclusiveVerdicts)} inconclusive
      </Chip>
      {run.notGradedVerdicts > 0 && <Chip tone="not_graded">{formatCount(run.notGradedVerdicts)} not graded</Chip>}
      <Chip tone={run.erroredVerdicts > 0 ? "errored" : "plain"}>{formatCount(run.erroredVerdicts)} errored</Chip>
    </div>
  );
}

export function VerdictCounts({ run }: { run: Counts }) {
  const counts = [
    ["failed", run.failedVerdicts],
    ["passed", run.passedVerdicts],
    ["inconclusive", run.inconclusiveVerdicts],
    ["not_graded", run.notGradedVerdicts],
    ["errored", run.erroredVerdicts],
  ] as const;
  return (
    <span className={styles["counts"]}>
      {counts
        .filter(([, count]) => count > 0)
        .map(([verdict, count]) => (
          <span key={verdict} className={styles["count"]}>
            <VerdictIcon verdict={verdict} />
            {formatCount(count)}
          </span>
        ))}
    </span>
  );
}
