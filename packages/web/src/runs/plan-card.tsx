import type { RunPlan } from "@svc/contract";
import { Card } from "../ui/card.tsx";
import { formatCost, formatCount, formatMs, formatPlural } from "../ui/format.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Notice } from "../ui/notice.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./new-run.module.css";
import type { NewRunInput } from "./run-search.ts";

const UNKNOWN = "unknown before the first run over the connection";

const phoneCallItems = ({ numbers, trunk, callsAtMost, minutesAtMost }: NonNullable<RunPlan["phoneCalls"]>) =>
  [
    ["Calls", <bdi key="numbers">{`${numbers.join(", ")} over ${trunk}`}</bdi>],
    ["Calls at most", `${formatPlural(callsAtMost, "call")}, ${formatPlural(minutesAtMost, "minute")}`],
  ] as const;

const incomingCallItems = ({
  number,
  callers,
  matching,
  waitSeconds,
  dialUrl,
}: NonNullable<RunPlan["incomingCalls"]>) =>
  [
    ["The agent calls", <bdi key="number">{number}</bdi>],
    ["Callers", <bdi key="callers">{callers}</bdi>],
    [
      "Wait for a call",
      `${formatMs(waitSeconds * 1000)}, ${matching === "account" ? "one call at a time" : "calls name their simulation"}`,
    ],
    ["Who lets it call", dialUrl === null ? "you do, while a simulation waits" : <bdi key="url">{dialUrl}</bdi>],
  ] as const;

type PlanCardProps = { plan: RunPlan | undefined; input: NewRunInput | undefined };

export function PlanCard({ plan, input }: PlanCardProps) {
  if (plan === undefined || input === undefined)
    return (
      <Card title="Plan">
        <p className={styles["hint"]} aria-busy={input !== undefined}>
          {input === undefined
            ? "The service plans when tests, an agent and a connection are chosen and every field is valid."
            : "The service reads the plan."}
        </p>
      </Card>
    );
  const sum = (of: (test: RunPlan["tests"][number]) => number) =>
    plan.tests.reduce((total, test) => total + of(test), 0);
  const unplayable = plan.tests.filter(({ playable }) => !playable).length;
  return (
    <Card title="Plan">
      <p className={styles["figure"]}>
        {formatCount(plan.simulationCount)}
        <small>{plan.simulationCount === 1 ? "simulation" : "simulations"}</small>
      </p>
      <KeyValues
        items={[
          ["Tests", `${formatCount(plan.tests.length)}${unplayable > 0 ? `, ${unplayable} cannot be played` : ""}`],
          ["Caller", plan.caller === "scripted" ? "scripted" : "language model"],
          ["At the same time", `at most ${formatCount(plan.concurrency)}`],
          ["Duration", plan.estimatedSeconds === null ? UNKNOWN : `about ${formatMs(plan.estimatedSeconds * 1000)}`],
          [
            "Cost of the judge",
            plan.estimatedJudgeCost === null
              ? UNKNOWN
              : plan.estimatedJudgeCost === 0
                ? "none"
                : `about ${formatCost(plan.estimatedJudgeCost)}`,
          ],
          ...(plan.phoneCalls === null ? [] : phoneCallItems(plan.phoneCalls)),
          ...(plan.incomingCalls === null ? [] : incomingCallItems(plan.incomingCalls)),
          ["Behaviors decided by code", formatCount(sum((test) => test.decidedByCheck))],
          ["Behaviors decided by a judge", formatCount(sum((test) => test.decidedByJudge))],
          ["Behaviors not graded", formatCount(sum((test) => test.undecided))],
          [
            "Language model",
            plan.modelCallsAtMost === 0 ? "not used" : `at most ${formatPlural(plan.modelCallsAtMost, "request")}`,
          ],
        ]}
      />
      {plan.warnings.length > 0 && (
        <div className={styles["warnings"]}>
          {plan.warnings.map((warning) => (
            <Notice key={warning} kind="warning">
              {warning}
            </Notice>
          ))}
        </div>
      )}
      <details className={styles["more"]}>
        <summary>{formatPlural(plan.tests.length, "test")} of the plan</summary>
        <ul className={styles["versions"]}>
          {plan.tests.map((test) => (
            <li key={test.testVersionId}>
              <UserText inline text={test.testName} />{" "}
              <span>
                {test.personas.length === 0 ? "" : `${test.personas.join(", ")}; `}
                {formatPlural(test.behaviors, "behavior")}
                {test.undecided > 0 && `, ${test.undecided} not graded`}
                {!test.playable && "; no line for the scripted caller"}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}
