import type { RunPlan } from "@svc/contract";
import { counted, facts, table } from "../output.ts";

/** What a run would do, and what nothing in it could decide. */
export function planText(plan: RunPlan): string {
  const about = facts([
    ["Would play", `${counted(plan.simulationCount, "simulation")}, ${plan.concurrency} at once`],
    ["Caller", plan.caller],
    ["Model calls", plan.modelCallsAtMost === 0 ? "none" : `${plan.modelCallsAtMost} at most`],
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
  return [about, tests, ...plan.warnings].join("\n\n");
}
