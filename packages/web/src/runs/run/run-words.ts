import type { Answer, Operations } from "@svc/sdk";
import { formatPercent, formatPlural } from "../../ui/format.ts";

type Run = Answer<Operations["runs"]["get"]>["run"];

/** Verdicts below which a pass rate says nothing. */
const VERDICTS_MIN = 5;

/** Returns the simulations that count for the pass rate. */
export const countedOf = ({ decidedSimulations, undecidedSimulations }: Run): number =>
  decidedSimulations + undecidedSimulations;

/** Returns whether enough simulations have a verdict for a pass rate. */
export const hasRate = (run: Run): boolean => run.passRate !== null && countedOf(run) >= VERDICTS_MIN;

/** Returns the sentence about the pass rate. */
export function rateWords(run: Run): string {
  const counted = `${run.passedVerdicts} of ${countedOf(run)} passed`;
  if (run.passRateLow === null || run.passRateHigh === null)
    return hasRate(run) ? `${counted}; an interval needs five tests` : `${counted}; too few for a pass rate`;
  return `${counted}; 95% interval ${formatPercent(run.passRateLow)} to ${formatPercent(run.passRateHigh)}`;
}

const played = (run: Run): number => run.completedCount + run.failedCount + run.canceledCount;

/** Returns whether the run was played, as a fact apart from its verdicts. */
export function executionWords(run: Run): string {
  if (run.status === "canceled")
    return run.stopReason === "agent_unreachable" ? "stopped: the agent did not answer" : "canceled";
  return `${played(run)} of ${run.simulationCount} played`;
}

/** Returns whether the run was graded, as a fact apart from its verdicts. */
export function gradingWords(run: Run): string {
  if (run.gradingSettled) return "settled";
  return `${run.simulationCount - run.pendingVerdicts} of ${run.simulationCount} graded`;
}

/** Returns the size of the run: `5 tests × 3 personas × 5 iterations`. */
export const sizeWords = ({ testCount, personaCount, iterations }: Run): string =>
  [formatPlural(testCount, "test"), formatPlural(personaCount, "persona"), formatPlural(iterations, "iteration")].join(
    " × ",
  );

/** Returns the simulations that are played, and those that have a verdict, for the progress of a run under way. */
export const progressOf = (run: Run): { played: number; graded: number; all: number } => ({
  played: played(run),
  graded: run.simulationCount - run.pendingVerdicts,
  all: run.simulationCount,
});
