import type { GradeSummary, ListedSimulation, Run, Verdict } from "@svc/contract";
import { unknownId } from "./world.ts";

const AT = "2026-11-21T09:30:00.000Z";

export const aGrade = (more: Partial<GradeSummary> = {}): GradeSummary => ({
  id: null,
  gradedAt: null,
  labels: [],
  graderId: unknownId("grd"),
  graderVersionId: unknownId("grdv"),
  graderName: "Expected behaviors",
  criterion: "repeats back two nights",
  reading: null,
  decidedBy: "check",
  verdict: "failed",
  reason: "The agent never said it.",
  evidence: [],
  confidence: null,
  judge: null,
  usage: null,
  counts: true,
  ...more,
});

/** Returns a simulation as the list of a run's simulations shows it. */
export const aSimulation = (verdict: Verdict | null, more: Partial<ListedSimulation> = {}): ListedSimulation => ({
  id: unknownId("sim"),
  runId: unknownId("run"),
  projectId: unknownId("prj"),
  testId: unknownId("tst"),
  testVersionId: unknownId("tstv"),
  testVersion: 1,
  testName: "Books a room",
  personaId: unknownId("prs"),
  personaName: "calm",
  iteration: 1,
  status: "completed",
  queuePosition: null,
  endingReason: "agent_ended",
  endedBy: "agent",
  message: null,
  grading: "settled",
  verdict,
  behaviorsGraded: verdict === "passed" || verdict === "failed" ? 1 : 0,
  behaviorCount: 1,
  turnCount: 4,
  traceId: null,
  attempt: 1,
  createdAt: AT,
  startedAt: AT,
  endedAt: AT,
  durationMs: 1250,
  grades: verdict === null ? [] : [aGrade({ verdict })],
  ...more,
});

const VERDICT_OF = { P: "passed", F: "failed", U: "inconclusive", N: "not_graded", E: "errored", X: null } as const;

/** Returns the iterations of one test; each letter is the verdict of one iteration. */
export function iterations(letters: string, testName = "Books a room") {
  return [...letters].map((letter, index) =>
    aSimulation(VERDICT_OF[letter as keyof typeof VERDICT_OF], {
      id: `sim_${testName}${index}`,
      testName,
      testId: `tst_${testName}`,
      testVersionId: `tstv_${testName}`,
      iteration: index + 1,
    }),
  );
}

/** Returns a run with these simulations. */
export function aResult(simulations: ListedSimulation[], more: Partial<Run> = {}) {
  const count = (verdict: Verdict) => simulations.filter((one) => one.verdict === verdict).length;
  const graded = simulations.filter(({ verdict }) => verdict !== null);
  const behaviors = graded.reduce((sum, { behaviorCount }) => sum + behaviorCount, 0);
  const decidedBehaviors = graded.reduce((sum, { behaviorsGraded }) => sum + behaviorsGraded, 0);
  const run: Run = {
    id: unknownId("run"),
    projectId: unknownId("prj"),
    name: "Nightly",
    status: "completed",
    stopReason: null,
    suiteId: null,
    suiteName: null,
    startedBy: { kind: "key", name: "CI" },
    scheduleId: null,
    scheduleName: null,
    scheduledFor: null,
    require: null,
    agentId: unknownId("agt"),
    agentName: "Grand Hotel",
    connectionId: unknownId("con"),
    connectionType: "http_chat",
    caller: "scripted",
    callerModel: null,
    testCount: new Set(simulations.map(({ testId }) => testId)).size,
    personaCount: new Set(simulations.map(({ personaId }) => personaId)).size,
    iterations: 1,
    concurrency: 10,
    turnLimit: 60,
    timeLimitSeconds: 600,
    maxCost: null,
    judgeRequests: 0,
    judgeInputTokens: 0,
    judgeCachedInputTokens: 0,
    judgeOutputTokens: 0,
    judgeCost: 0,
    allowUngraded: false,
    simulationCount: simulations.length,
    queuedCount: 0,
    runningCount: 0,
    completedCount: simulations.length,
    failedCount: 0,
    canceledCount: simulations.filter(({ status }) => status === "canceled").length,
    passedVerdicts: count("passed"),
    failedVerdicts: count("failed"),
    inconclusiveVerdicts: count("inconclusive"),
    erroredVerdicts: count("errored"),
    notGradedVerdicts: count("not_graded"),
    pendingVerdicts: 0,
    decidedSimulations: count("passed") + count("failed"),
    undecidedSimulations: count("inconclusive") + count("not_graded"),
    behaviorCount: behaviors,
    decidedBehaviors,
    undecidedBehaviors: behaviors - decidedBehaviors,
    passRate: null,
    passRateLow: null,
    passRateHigh: null,
    gradingSettled: true,
    createdAt: AT,
    startedAt: AT,
    endedAt: AT,
    ...more,
  };
  return { run, simulations, page: `https://svc.example.com/o/org_1/p/default/runs/${run.id}` };
}
