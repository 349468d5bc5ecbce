import {
  ENDING_REASONS,
  type EndingReason,
  type Grade,
  LIMITS,
  type ListedSimulation,
  type Run,
  type Simulation,
  type SimulationSummary,
  type Verdict,
} from "@svc/contract";
import { AppError } from "../errors.ts";
import { wilson } from "../grading/statistics.ts";
import type { Schema } from "../stores/schema.ts";
import { coverageOf } from "./play/mocked-tools.ts";
import type { Transcript } from "./play/transcript.ts";

export type RunRow = Schema["runs"];
export type SimulationRow = Schema["simulations"];
/** Without what was said. */
export type SimulationSummaryRow = Omit<SimulationRow, "transcript">;
export type RunCounts = Pick<SimulationRow, "status" | "verdict" | "grading"> & { count: number };

/** The connection as it was when the run was made; its credential is looked up when a conversation starts. */
export type ConnectionSnapshot = { connectionType: string; accessVariant: string; config: Record<string, string> };

const RUNNABLE = ["http_chat", "platform_a_chat_api", "platform_b_console"];

/** A run over a connection whose caller is not built is refused; it is stored all the same. */
export function refuseUnrunnable(connectionType: string): void {
  if (RUNNABLE.includes(connectionType)) return;
  throw new AppError(
    "unprocessable",
    `Simulations over ${connectionType} are not built yet; use a connection of type ${RUNNABLE.join(", ")}.`,
  );
}

export const agentArchived = () =>
  new AppError("parent_agent_archived", "The agent is archived; restore it, or name another agent.");

export function refuseTooMany(simulations: number): void {
  if (simulations <= LIMITS.runSimulations) return;
  throw new AppError(
    "unprocessable",
    `This would be ${simulations} simulations; a run has at most ${LIMITS.runSimulations}: name fewer tests or iterations.`,
  );
}

/** Execution alone: whether the conversation could be played, whatever it was worth. */
export function statusOf(reason: EndingReason): "completed" | "failed" | "canceled" {
  if (reason === "canceled") return "canceled";
  const played = ["agent_ended", "transferred", "persona_concluded", "turn_limit", "time_limit"].includes(reason);
  return played ? "completed" : "failed";
}

/** An ending that decides by itself: the agent's own failure fails, ours and what lies between is no verdict on the agent. */
export function verdictOfEnding(reason: EndingReason): Verdict | undefined {
  const { by } = ENDING_REASONS[reason];
  if (reason === "agent_error" || reason === "agent_never_joined") return "failed";
  return by === "service" || by === "outside" || by === "canceled" ? "errored" : undefined;
}

/** Endings in which the agent was never heard. */
export const neverAnswered = (reason: EndingReason): boolean =>
  reason === "agent_never_joined" || reason === "connection_refused";

export function presentRun(row: RunRow, counts: readonly RunCounts[]): Run {
  const sum = (of: (entry: RunCounts) => boolean) => counts.filter(of).reduce((total, { count }) => total + count, 0);
  const inStatus = (...statuses: SimulationRow["status"][]) => sum(({ status }) => statuses.includes(status));
  const settledAs = (verdict: Verdict) => sum((entry) => entry.grading === "settled" && entry.verdict === verdict);
  const passed = settledAs("passed");
  const failed = settledAs("failed");
  const interval = wilson(passed, passed + failed);
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    status: row.status,
    stopReason: row.stop_reason,
    agentId: row.agent_id,
    connectionId: row.connection_id,
    connectionType: (JSON.parse(row.connection) as ConnectionSnapshot).connectionType,
    caller: row.caller,
    iterations: row.iterations,
    concurrency: row.concurrency,
    turnLimit: row.turn_limit,
    timeLimitSeconds: row.time_limit_seconds,
    simulationCount: sum(() => true),
    queuedCount: inStatus("queued"),
    runningCount: inStatus("claimed", "running"),
    completedCount: inStatus("completed"),
    failedCount: inStatus("failed"),
    canceledCount: inStatus("canceled"),
    passedVerdicts: passed,
    failedVerdicts: failed,
    inconclusiveVerdicts: settledAs("inconclusive"),
    erroredVerdicts: settledAs("errored"),
    notGradedVerdicts: settledAs("not_graded"),
    pendingVerdicts: sum(({ grading }) => grading !== "settled"),
    passRate: interval && passed / (passed + failed),
    passRateLow: interval && interval.low,
    passRateHigh: interval && interval.high,
    gradingSettled: row.ended_at !== null && counts.every(({ grading }) => grading === "settled"),
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function presentSimulation(row: SimulationSummaryRow): SimulationSummary {
  const reason = row.ending_reason;
  return {
    id: row.id,
    runId: row.run_id,
    projectId: row.project_id,
    testId: row.test_id,
    testVersionId: row.test_version_id,
    testName: row.test_name,
    personaId: row.persona_id,
    personaName: row.persona_name,
    iteration: row.iteration,
    status: row.status,
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

/** In a list; `grades` by simulation, when they are asked for. */
export function presentListed(
  row: SimulationSummaryRow,
  grades: ReadonlyMap<string, Grade[]> | undefined,
): ListedSimulation {
  if (grades === undefined) return presentSimulation(row);
  const shown = withVeto(row, grades.get(row.id) ?? []);
  return { ...presentSimulation(row), grades: shown.map(({ votes: _, ...grade }) => grade) };
}

export function presentWhole(row: SimulationRow, grades: Grade[]): Simulation {
  const transcript: Transcript | undefined = row.transcript === null ? undefined : JSON.parse(row.transcript);
  const at = (ms: number) => new Date(ms).toISOString();
  const uses = transcript?.toolUses ?? [];
  return {
    ...presentSimulation(row),
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
    grades: withVeto(row, grades),
    gradings: row.gradings,
  };
}

const withVeto = (row: SimulationSummaryRow, grades: Grade[]): Grade[] =>
  row.veto_reason === null ? grades : [vetoGrade(row.veto_reason), ...grades];

const vetoGrade = (reason: string): Grade => ({
  id: null,
  graderId: "veto",
  graderVersionId: "veto",
  graderName: "State after the conversation",
  criterion: "The conversation left the state that it should.",
  decidedBy: "veto",
  verdict: "failed",
  reason,
  evidence: [],
  confidence: null,
  votes: [],
  counts: true,
  gradedAt: null,
  labels: [],
});

/** Only a conversation that has ended can be graded. */
export function refuseUnended(row: SimulationRow): void {
  if (row.status === "completed" || row.status === "failed") return;
  throw new AppError(
    "conflict",
    row.status === "canceled"
      ? "The simulation was canceled; there is nothing to grade."
      : "The simulation is still under way; wait until it has ended.",
  );
}
