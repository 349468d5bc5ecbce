import {
  ENDING_REASONS,
  type Grade,
  type ListedSimulation,
  type Run,
  type Simulation,
  type SimulationSummary,
  type Verdict,
} from "@svc/contract";
import { passRateInterval, type Tally } from "../grading/statistics/pass-rates.ts";
import {
  type RunRow,
  type SimulationCount,
  type SimulationRow,
  type SimulationSummaryRow,
  snapshotOf,
} from "./rules.ts";
import type { Transcript } from "./play/transcript.ts";
import { presentLine } from "./present-line.ts";

export type RunFacts = {
  agentName: string;
  counts: readonly SimulationCount[];
  tests: readonly Tally[];
  startedBy: Run["startedBy"];
  /** Current name of the run's schedule; null when the run has no schedule or the schedule is deleted. */
  scheduleName: string | null;
};

export type VersionNumbers = ReadonlyMap<string, number>;

/** Facts that an answer about a simulation needs. `queued` has the ids of the run's queued simulations in the order in which they start. */
export type SimulationFacts = { versions: VersionNumbers; queued: readonly string[] };

export function presentRun(row: RunRow, { agentName, counts, tests, startedBy, scheduleName }: RunFacts): Run {
  const sum = (of: (entry: SimulationCount) => boolean) =>
    counts.filter(of).reduce((total, { count }) => total + count, 0);
  const inStatus = (...statuses: SimulationRow["status"][]) => sum(({ status }) => statuses.includes(status));
  const settledAs = (verdict: Verdict) => sum((entry) => entry.grading === "settled" && entry.verdict === verdict);
  const passed = settledAs("passed");
  const decided = passed + settledAs("failed");
  const undecided = settledAs("inconclusive") + settledAs("not_graded");
  const interval = passRateInterval(tests, row.id);
  const final = counts.filter(({ grading, verdict }) => grading === "settled" && verdict !== null);
  const behaviors = final.reduce((total, entry) => total + entry.behaviors, 0);
  const decidedBehaviors = final.reduce((total, entry) => total + entry.decidedBehaviors, 0);
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    status: row.status,
    stopReason: row.stop_reason,
    suiteId: row.suite_id,
    suiteName: row.suite_name,
    agentId: row.agent_id,
    agentName,
    connectionId: row.connection_id,
    connectionType: snapshotOf(row).connectionType,
    caller: row.caller,
    callerModel: row.caller_model,
    testCount: row.test_count,
    personaCount: row.persona_count,
    iterations: row.iterations,
    concurrency: row.concurrency,
    turnLimit: row.turn_limit,
    timeLimitSeconds: row.time_limit_seconds,
    maxCost: row.max_cost,
    judgeRequests: row.judge_requests,
    judgeInputTokens: row.judge_input_tokens,
    judgeCachedInputTokens: row.judge_cached_input_tokens,
    judgeOutputTokens: row.judge_output_tokens,
    judgeCost: row.judge_cost,
    allowUngraded: row.allow_ungraded === 1,
    simulationCount: sum(() => true),
    queuedCount: inStatus("queued"),
    runningCount: inStatus("claimed", "running"),
    completedCount: inStatus("completed"),
    failedCount: inStatus("failed"),
    canceledCount: inStatus("canceled"),
    passedVerdicts: passed,
    failedVerdicts: settledAs("failed"),
    inconclusiveVerdicts: settledAs("inconclusive"),
    erroredVerdicts: settledAs("errored"),
    notGradedVerdicts: settledAs("not_graded"),
    pendingVerdicts: sum(({ grading }) => grading !== "settled"),
    decidedSimulations: decided,
    undecidedSimulations: undecided,
    behaviorCount: behaviors,
    decidedBehaviors,
    undecidedBehaviors: behaviors - decidedBehaviors,
    passRate: decided + undecided === 0 ? null : passed / (decided + undecided),
    passRateLow: interval && interval.low,
    passRateHigh: interval && interval.high,
    gradingSettled: row.ended_at !== null && counts.every(({ grading }) => grading === "settled"),
    startedBy,
    scheduleId: row.schedule_id,
    scheduleName,
    scheduledFor: row.due_ms === null ? null : new Date(row.due_ms).toISOString(),
    require: row.required,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function presentSummary(row: SimulationSummaryRow, { versions, queued }: SimulationFacts): SimulationSummary {
  const reason = row.ending_reason;
  return {
    id: row.id,
    runId: row.run_id,
    projectId: row.project_id,
    testId: row.test_id,
    testVersionId: row.test_version_id,
    testVersion: versions.get(row.test_version_id)!,
    testName: row.test_name,
    personaId: row.persona_id,
    personaName: row.persona_name,
    iteration: row.iteration,
    status: row.status,
    queuePosition: row.status === "queued" ? queued.indexOf(row.id) + 1 || null : null,
    endingReason: reason,
    endedBy: reason && ENDING_REASONS[reason].by,
    message: row.veto_reason === null ? row.message : `Vetoed: ${row.veto_reason}`,
    grading: row.grading,
    verdict: row.verdict,
    behaviorsGraded: row.behaviors_graded,
    behaviorCount: row.behavior_count,
    turnCount: row.turn_count,
    traceId: row.trace_id,
    attempt: row.attempt,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    durationMs: row.started_at && row.ended_at ? Date.parse(row.ended_at) - Date.parse(row.started_at) : null,
  };
}

/** Presents the outcome of a simulation without the texts that are erased together with the conversation. */
export function presentOutcome(row: SimulationSummaryRow) {
  const {
    message: _message,
    testVersion: _version,
    queuePosition: _position,
    ...outcome
  } = presentSummary(row, { versions: new Map(), queued: [] });
  return outcome;
}

export function presentListedSimulation(
  row: SimulationSummaryRow,
  facts: SimulationFacts,
  grades: ReadonlyMap<string, Grade[]> | undefined,
): ListedSimulation {
  if (grades === undefined) return presentSummary(row, facts);
  const shown = withVeto(row, grades.get(row.id) ?? []);
  return {
    ...presentSummary(row, facts),
    grades: shown.map(({ votes: _votes, calibration: _calibration, ...grade }) => grade),
  };
}

export function presentSimulation(row: SimulationRow, facts: SimulationFacts, grades: Grade[]): Simulation {
  const transcript: Transcript | undefined = row.transcript === null ? undefined : JSON.parse(row.transcript);
  const at = (ms: number) => new Date(ms).toISOString();
  const uses = transcript?.toolUses ?? [];
  return {
    ...presentSummary(row, facts),
    turns: (transcript?.turns ?? []).map(({ role, text, startedMs, endedMs }, index) => ({
      index,
      role,
      text,
      startedAt: at(startedMs),
      endedAt: at(endedMs),
    })),
    toolCalls: uses.map((use) => ({
      turnIndex: use.turnIndex,
      name: use.name,
      arguments: use.arguments ?? null,
      result: use.result ?? null,
      error: use.error,
      mocked: use.mocked,
      durationMs: use.endedMs - use.startedMs,
    })),
    tools: coverageOf(transcript?.mockedTools ?? [], uses),
    line: presentLine(transcript?.line),
    grades: withVeto(row, grades),
    gradings: row.gradings,
  };
}

const withVeto = (row: SimulationSummaryRow, grades: Grade[]): Grade[] =>
  row.veto_reason === null ? grades : [vetoGrade(row.veto_reason), ...grades];

export const vetoGrade = (reason: string): Grade => ({
  id: null,
  graderId: "veto",
  graderVersionId: "veto",
  graderName: "State after the conversation",
  criterion: "The conversation left the expected state.",
  reading: null,
  decidedBy: "veto",
  verdict: "failed",
  reason,
  evidence: [],
  confidence: null,
  votes: [],
  judge: null,
  calibration: null,
  usage: null,
  counts: true,
  gradedAt: null,
  labels: [],
});

/**
 * Tells which tools of the agent were called and mocked. `discovered`: called or mocked. `covered`: a mock answered. `uncovered`: mocked
 * and never called. `unmocked`: called without a mock.
 */
function coverageOf(
  mocked: readonly string[],
  uses: readonly { name: string; mocked: boolean }[],
): Simulation["tools"] {
  const namesOf = (some: typeof uses) => new Set(some.map(({ name }) => name));
  const answered = namesOf(uses.filter((use) => use.mocked));
  return {
    discovered: [...new Set([...mocked, ...namesOf(uses)])].sort(),
    covered: mocked.filter((name) => answered.has(name)).sort(),
    uncovered: mocked.filter((name) => !answered.has(name)).sort(),
    unmocked: [...namesOf(uses.filter((use) => !use.mocked))].sort(),
  };
}
