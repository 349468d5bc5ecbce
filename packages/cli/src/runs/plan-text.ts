import { type RunPlan, SIMULATION_HEADER } from "@svc/contract";
import { costText } from "../graders/judge-text.ts";
import { counted, facts, paint, table } from "../terminal/output.ts";
import { readingsText } from "../authoring/reading-text.ts";
import { duration } from "../terminal/times.ts";

const phoneCallsText = ({ numbers, trunk, callsAtMost, minutesAtMost }: NonNullable<RunPlan["phoneCalls"]>): string =>
  `${numbers.join(", ")} over the trunk "${trunk}", at most ${counted(callsAtMost, "call")} and ${counted(minutesAtMost, "minute")}`;

const incomingCallsText = ({
  number,
  callers,
  matching,
  waitSeconds,
  dialUrl,
}: NonNullable<RunPlan["incomingCalls"]>) =>
  [
    `the agent must call ${number} within ${waitSeconds} s of each simulation's start`,
    matching === "account" ? "one call at a time" : `each call names its simulation in ${SIMULATION_HEADER}`,
    `callers: ${callers}`,
    dialUrl === null ? "let it call" : `the service asks ${dialUrl} to let it call`,
  ].join("; ");

export function planText(plan: RunPlan): string {
  const size = facts([
    ["Simulations", `${plan.simulationCount}, ${plan.concurrency} at once`],
    ["Caller", plan.caller],
    [
      "Duration",
      plan.estimatedSeconds === null ? "not known" : `about ${duration(Math.ceil(plan.estimatedSeconds) * 1000)}`,
    ],
    ["Judge cost", costText(plan.estimatedJudgeCost)],
    ["Model calls", plan.modelCallsAtMost === 0 ? "none" : `at most ${plan.modelCallsAtMost}`],
    ["Calls", plan.phoneCalls === null ? undefined : phoneCallsText(plan.phoneCalls)],
    ["Incoming calls", plan.incomingCalls === null ? undefined : incomingCallsText(plan.incomingCalls)],
  ]);
  const tests = table(
    plan.tests,
    [
      { title: "behaviors", cell: ({ behaviors }) => String(behaviors), right: true },
      { title: "by check", cell: ({ decidedByCheck }) => String(decidedByCheck), right: true },
      { title: "by judge", cell: ({ decidedByJudge }) => String(decidedByJudge), right: true },
      { title: "undecided", cell: ({ undecided }) => String(undecided), right: true },
      { title: "personas", cell: ({ personas }) => personas.join(", "), cut: true },
      { title: "test", cell: ({ testName }) => testName },
    ],
    "No tests.",
  );
  const readings = plan.tests.map((test) => `${paint.bold(test.testName)}\n${readingsText(test.readings)}`);
  return [size, tests, ...readings, ...plan.warnings].join("\n\n");
}
