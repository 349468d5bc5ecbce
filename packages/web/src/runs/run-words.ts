import type { Run, RunComparison, RunGrid, SimulationSummary } from "@svc/contract";
import { formatCount, formatMs, formatPercent, formatPlural } from "../ui/format.ts";

/** A pass rate of fewer verdicts is not meaningful. */
const VERDICTS_MIN = 5;

const PARTIES: Record<Party, string> = {
  agent: "the agent",
  caller: "the caller",
  limit: "a limit of the run or its trunk",
  service: "this service",
  outside: "the network or the platform",
  canceled: "the end of the run",
};

type Progress = Pick<Run, "status" | "gradingSettled">;

export const isUnderWay = ({ status, gradingSettled }: Progress): boolean =>
  status === "pending" || status === "running" || !gradingSettled;

export const runName = ({ name, suiteName, agentName }: Pick<Run, "name" | "suiteName" | "agentName">): string =>
  name ?? (suiteName === null ? `Run of ${agentName}` : `Run of ${suiteName}`);

/** Example: `5 tests × 3 personas × 5 iterations`. */
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

/** Canceled simulations do not count. */
export const playedCount = ({ completedCount, failedCount }: Pick<Run, "completedCount" | "failedCount">): number =>
  completedCount + failedCount;

export const gradedCount = (
  run: Pick<
    Run,
    "passedVerdicts" | "failedVerdicts" | "inconclusiveVerdicts" | "erroredVerdicts" | "notGradedVerdicts"
  >,
): number =>
  run.passedVerdicts + run.failedVerdicts + run.inconclusiveVerdicts + run.erroredVerdicts + run.notGradedVerdicts;

export function executionWords(run: Run): string {
  const played = `${formatCount(playedCount(run))} of ${formatCount(run.simulationCount)} played`;
  if (run.status !== "canceled") return played;
  return `${played}, ${run.stopReason === "agent_unreachable" ? "stopped: the agent did not answer" : "canceled"}`;
}

/** How far a run is, or how it ended, for the title of its tab. */
export function runState(run: Run): string {
  if (isUnderWay(run)) return `${formatCount(playedCount(run))} of ${formatCount(run.simulationCount)}`;
  if (run.status === "canceled") return "Canceled";
  return run.failedVerdicts > 0
    ? `${formatCount(run.failedVerdicts)} failed`
    : `${formatCount(run.passedVerdicts)} passed`;
}

export const gradingWords = (run: Run): string =>
  run.gradingSettled && !isUnderWay(run) ? "settled" : `${formatCount(gradedCount(run))} graded`;

/** `value` is null if there are too few verdicts; `low` and `high` are null if there are too few tests. */
type ShownRate = { value: number | null; low: number | null; high: number | null; words: string };

export function shownRate(run: Run): ShownRate {
  const { decidedSimulations: decided, undecidedSimulations: undecided } = run;
  const simulations = decided + undecided;
  const and = undecided > 0 ? `, ${formatCount(undecided)} undecided` : "";
  const of = `${formatCount(run.passedVerdicts)} of ${formatCount(simulations)} passed${and}`;
  const unknown = { value: null, low: null, high: null };
  if (decided === 0 && undecided > 0)
    return { ...unknown, words: `${formatPlural(undecided, "simulation")} undecided: nothing passed or failed` };
  if (run.passRate === null || simulations < VERDICTS_MIN) return { ...unknown, words: `${of}: too few for a rate` };
  const words =
    run.passRateLow === null || run.passRateHigh === null
      ? `${of}; an interval needs 5 tests`
      : `${of}; 95% interval ${formatPercent(run.passRateLow)} to ${formatPercent(run.passRateHigh)}`;
  return { value: run.passRate, low: run.passRateLow, high: run.passRateHigh, words };
}

export const runDuration = ({ startedAt, endedAt }: Pick<Run, "startedAt" | "endedAt">): string | null =>
  startedAt === null || endedAt === null ? null : formatMs(Date.parse(endedAt) - Date.parse(startedAt));

type GridTest = RunGrid["tests"][number];

export const isFailing = ({ failed }: Pick<GridTest, "failed">): boolean => failed > 0;

type Compared = Pick<RunComparison, "passingDiffers" | "latencyDiffers" | "latency" | "passRateDifference"> & {
  first: Pick<RunComparison["first"], "played">;
  second: Pick<RunComparison["second"], "played">;
};

/** The sentence claims "more" or "less" only if the difference is statistically significant. */
export function passingHeadline({ passingDiffers, passRateDifference, first, second }: Compared): string {
  if (first.played === 0 || second.played === 0) return "The runs share no simulation with a verdict.";
  if (!passingDiffers) return "It passes neither measurably more nor less often.";
  const difference = passRateDifference?.value ?? 0;
  if (difference > 0) return "It passes more often.";
  return difference < 0 ? "It passes less often." : "It passes other tests than before.";
}

export function latencyHeadline({ latencyDiffers, latency }: Compared): string {
  if (latency === null) return "Too few pairs have times to answer.";
  if (!latencyDiffers) return "It is not measurably faster or slower.";
  return latency.differenceMs > 0 ? "It is slower." : "It is faster.";
}

export const pText = (p: number): string => (p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`);

type ChangedTest = {
  change: "regressed" | "mended";
  testId: string;
  testVersionId: string;
  testName: string;
  pairs: RunComparison["regressed"];
};

/** Regressed pairs come before mended ones; within both, the tests with the most pairs come first. */
export function changedTests({ regressed, mended }: Pick<RunComparison, "regressed" | "mended">): ChangedTest[] {
  const grouped = (change: ChangedTest["change"], pairs: RunComparison["regressed"]) =>
    [...Map.groupBy(pairs, ({ testVersionId }) => testVersionId).values()]
      .map((ofTest) => {
        const { testId, testVersionId, testName } = ofTest[0]!;
        return { change, testId, testVersionId, testName, pairs: ofTest };
      })
      .toSorted((a, b) => b.pairs.length - a.pairs.length);
  return [...grouped("regressed", regressed), ...grouped("mended", mended)];
}

/** Example: `angry 2 · hurried 2, 4`. */
export const placesOf = (pairs: RunComparison["regressed"]): string =>
  [...Map.groupBy(pairs, ({ personaName }) => personaName)]
    .map(([persona, ofPersona]) => {
      const iterations = ofPersona.map(({ iteration }) => iteration).toSorted((a, b) => a - b);
      return `${persona} ${iterations.join(", ")}`;
    })
    .join(" · ");

type Reason = NonNullable<SimulationSummary["endingReason"]>;

type Party = NonNullable<SimulationSummary["endedBy"]>;

const REASONS: Record<Reason, string> = {
  agent_ended: "The agent ended the conversation",
  transferred: "The agent transferred the caller",
  agent_never_joined: "The agent never answered",
  no_answer: "The call rang, and nobody answered",
  agent_silent: "The agent stopped speaking",
  agent_error: "The agent answered with an error",
  persona_concluded: "The caller was done",
  turn_limit: "The limit of turns was reached",
  time_limit: "The time limit was reached",
  call_not_placed: "The trunk did not permit the call",
  simulator_error: "The simulator failed",
  orphaned: "The service stopped during every attempt",
  stalled: "The service stalled during every attempt",
  no_caller_lines: "The scenario gives the scripted caller no line",
  connection_refused: "Nothing answered at the connection’s address",
  worker_missing: "No worker took the call",
  worker_full: "The agent’s workers were full",
  media_unreachable: "The media server could not be reached",
  no_call: "No call of the agent came",
  busy: "The line of the agent was busy",
  call_rejected: "The call was rejected",
  unknown_address: "The platform knows no such number or address",
  rate_limited: "The agent’s endpoint reported too many requests",
  credential_rejected: "The agent’s endpoint rejected the credential",
  canceled: "The run was canceled",
};

export const endingWords = (reason: Reason | null): string => (reason === null ? "It has not ended" : REASONS[reason]);

export const partyWords = (party: Party | null): string => (party === null ? "–" : PARTIES[party]);

export function errorOwner({ status, verdict, endedBy }: Pick<SimulationSummary, "status" | "verdict" | "endedBy">) {
  if (endedBy === null || (status !== "failed" && verdict !== "errored")) return undefined;
  if (endedBy === "service") return "This is an error of the service. It says nothing about the agent.";
  if (endedBy === "outside") return "The error is between the service and the agent. It says nothing about the agent.";
  if (endedBy === "agent") return "The error is the agent’s.";
  return undefined;
}
