import type { Run, RunGrid } from "@svc/contract";
import { formatCount, formatMs, formatPercent, formatPlural } from "../ui/format.ts";

/** Verdicts below which a pass rate says nothing. */
const VERDICTS_MIN = 5;

type Progress = Pick<Run, "status" | "gradingSettled">;

/** Returns whether simulations of a run are still to be played or graded. */
export const isUnderWay = ({ status, gradingSettled }: Progress): boolean =>
  status === "pending" || status === "running" || !gradingSettled;

/** Returns the name of a run: its own, else that of its suite. */
export const runName = ({ name, suiteName, agentName }: Pick<Run, "name" | "suiteName" | "agentName">): string =>
  name ?? (suiteName === null ? `Run of ${agentName}` : `Run of ${suiteName}`);

/** Returns the size of a run in words: `5 tests × 3 personas × 5 iterations`. */
export const runSize = ({
  testCount,
  personaCount,
  iterations,
}: Pick<Run, "testCount" | "personaCount" | "iterations">) =>
  [
    formatPlural(testCount, "test"),
    ...(personaCount > 0 ? [formatPlural(personaCount, "persona")] : []),
    formatPlural(iterations, "iteration"),
  ].join(" × ");

/** Returns the number of simulations that have ended, however they ended. */
export const playedCount = ({ completedCount, failedCount }: Pick<Run, "completedCount" | "failedCount">): number =>
  completedCount + failedCount;

/** Returns the number of simulations with a final verdict. */
export const gradedCount = (
  run: Pick<
    Run,
    "passedVerdicts" | "failedVerdicts" | "inconclusiveVerdicts" | "erroredVerdicts" | "notGradedVerdicts"
  >,
): number =>
  run.passedVerdicts + run.failedVerdicts + run.inconclusiveVerdicts + run.erroredVerdicts + run.notGradedVerdicts;

/** Returns how far the playing of a run has come, in words. */
export function executionWords(run: Run): string {
  const played = `${formatCount(playedCount(run))} of ${formatCount(run.simulationCount)} played`;
  if (run.status !== "canceled") return played;
  return `${played}, ${run.stopReason === "agent_unreachable" ? "stopped: the agent did not answer" : "canceled"}`;
}

/** Returns how far the grading of a run has come, in words. */
export const gradingWords = (run: Run): string =>
  run.gradingSettled && !isUnderWay(run) ? "settled" : `${formatCount(gradedCount(run))} graded`;

/** A pass rate with its interval and the words below it; `value` is null while too little is known. */
type ShownRate = { value: number | null; low: number | null; high: number | null; words: string };

/** Returns the pass rate of a run as it is shown: no rate before five verdicts, no interval with fewer than five tests. */
export function shownRate(run: Run): ShownRate {
  const verdicts = run.decidedSimulations + run.undecidedSimulations;
  if (run.passRate === null || verdicts < VERDICTS_MIN)
    return {
      value: null,
      low: null,
      high: null,
      words: `${formatCount(run.passedVerdicts)} of ${formatPlural(verdicts, "verdict")} passed: too few for a rate`,
    };
  const of = `${formatCount(run.passedVerdicts)} of ${formatCount(verdicts)} passed`;
  const words =
    run.passRateLow === null || run.passRateHigh === null
      ? `${of}; an interval needs 5 tests`
      : `${of}; 95% interval ${formatPercent(run.passRateLow)} to ${formatPercent(run.passRateHigh)}`;
  return { value: run.passRate, low: run.passRateLow, high: run.passRateHigh, words };
}

/** Returns how long a run took; null before its end. */
export const runDuration = ({ startedAt, endedAt }: Pick<Run, "startedAt" | "endedAt">): string | null =>
  startedAt === null || endedAt === null ? null : formatMs(Date.parse(endedAt) - Date.parse(startedAt));

type GridTest = RunGrid["tests"][number];

/** Returns whether a test of a run needs a look: a simulation failed. */
export const isFailing = ({ failed }: Pick<GridTest, "failed">): boolean => failed > 0;
