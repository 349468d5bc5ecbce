import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count, shareWhenKnown } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { RunComparison } from "./comparison.ts";
import { RunEvent } from "./events.ts";
import { runLimits, runOptions } from "./options.ts";
import { RunPlan } from "./plan.ts";
import { RUN_STATUSES, VERDICTS } from "./vocabulary.ts";
import { project, projectId, yesOrNo } from "../core/selection.ts";
import { ListedSimulation } from "./simulations.ts";
import { snakeCased } from "../core/snake-case.ts";

const runShape = {
  id: id("run"),
  projectId: id("prj"),
  name: z.string().nullable(),
  status: z
    .enum(RUN_STATUSES)
    .meta({ description: "Of the execution; grading may still go on after it has completed." }),
  stopReason: z.enum(["canceled_by_user", "agent_unreachable"]).nullable().meta({
    description: "Why a canceled run was; `agent_unreachable`: three simulations in a row never got an answer.",
  }),
  agentId: id("agt"),
  connectionId: id("con"),
  connectionType: z.string(),
  caller: z.enum(["scripted", "model"]).meta({
    description:
      "`scripted`: lines of the scenario or the built-in caller that needs no model; `model`: a language model.",
  }),
  iterations: count(),
  concurrency: count("Simulations at once."),
  turnLimit: count("Turns of both sides after which a conversation ends."),
  timeLimitSeconds: count("Seconds after which a conversation ends."),
  simulationCount: count(),
  queuedCount: count(),
  runningCount: count(),
  completedCount: count(),
  failedCount: count("Simulations that could not be played to an end; not failed verdicts."),
  canceledCount: count(),
  passedVerdicts: count(),
  failedVerdicts: count(),
  inconclusiveVerdicts: count(),
  erroredVerdicts: count(),
  notGradedVerdicts: count(),
  pendingVerdicts: count("Simulations whose verdict is not settled."),
  passRate: shareWhenKnown("Passed of passed and failed; null while there is neither."),
  passRateLow: shareWhenKnown("Lower end of its 95 % Wilson interval."),
  passRateHigh: shareWhenKnown("Upper end of its 95 % Wilson interval."),
  gradingSettled: z.boolean(),
  createdAt: timestamp(),
  startedAt: timestamp().nullable(),
  endedAt: timestamp().nullable().meta({ description: "When the last simulation ended." }),
};

/** A run: test versions played against an agent, once for each persona and iteration. */
export const Run = z
  .strictObject(runShape)
  .meta({ id: "Run", description: "A run of test versions against an agent." });
export type Run = z.infer<typeof Run>;

/** The same in `/api`, in snake_case. */
export const ApiRun = z.strictObject(snakeCased(runShape)).meta({ id: "ApiRun" });

const versions = z.array(idInput("tstv")).min(1).max(LIMITS.runTestVersions);
const dryRun = yesOrNo.optional().meta({ description: "`true`: answer the plan and make nothing." });

const params = z.strictObject({ runId: idInput("run") });
const query = z.strictObject({ projectId });
const tag = "Runs";
const idempotent = { idempotencyKey: "Idempotency-Key" } as const;

/** Runs of tests against an agent. */
export const runs = {
  /**
   * Starts a run of a suite's tests, or of the test versions that are named. Each accepted request makes a new run; with an
   * `Idempotency-Key` the same key and body answer the same run, and the same key with another body is refused with 409
   * `conflict`. With `dryRun=true` the plan is answered with 200 and nothing is made.
   */
  create: operation({
    method: "POST",
    path: "/v1/runs",
    summary: "Start a run",
    description: "With an `Idempotency-Key` the same key and body answer the same run.",
    tag,
    ...writesProject,
    headers: idempotent,
    query: z.strictObject({ projectId, dryRun }),
    body: z.strictObject({
      suiteId: idInput("ste").optional(),
      testVersions: versions.optional(),
      agentId: idInput("agt"),
      connectionId: idInput("con"),
      ...runOptions,
      ...runLimits,
    }),
    status: 201,
    alsoStatus: { 200: "The plan, of a dry run." },
    answer: z.union([z.strictObject({ run: Run }), z.strictObject({ plan: RunPlan })]),
    errors: ["conflict", "parent_agent_archived"],
  }),

  /** The same in snake_case; answers the run itself. */
  createApi: operation({
    method: "POST",
    path: "/api/runs",
    summary: "Start a run of test versions",
    tag,
    ...writesProject,
    headers: idempotent,
    query: z.strictObject({ dry_run: dryRun }),
    body: z.strictObject({
      test_versions: versions,
      agent: idInput("agt"),
      connection: idInput("con"),
      ...runOptions,
      project,
    }),
    status: 201,
    alsoStatus: { 200: "The plan, of a dry run." },
    answer: z.union([ApiRun, z.strictObject({ plan: RunPlan })]),
    errors: ["conflict", "parent_agent_archived"],
  }),

  /** Lists runs, newest first. */
  list: operation({
    method: "GET",
    path: "/v1/runs",
    summary: "List runs",
    tag,
    ...readsProject,
    query: z.strictObject({
      projectId,
      agentId: idInput("agt").optional(),
      status: z.enum(RUN_STATUSES).optional(),
      ...pageQuery,
    }),
    status: 200,
    answer: z.strictObject({ runs: z.array(Run), nextPageToken }),
  }),

  /** Answers a run with how many of its simulations stand where, and what was decided so far. */
  get: operation({
    method: "GET",
    path: "/v1/runs/{runId}",
    summary: "Show a run",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer: z.strictObject({ run: Run }),
  }),

  /** Lists a run's simulations, newest first. */
  simulations: operation({
    method: "GET",
    path: "/v1/runs/{runId}/simulations",
    summary: "List a run's simulations",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({
      projectId,
      verdict: z.enum(VERDICTS).optional(),
      grades: yesOrNo.optional().meta({ description: "`true`: with what each was graded by." }),
      ...pageQuery,
    }),
    status: 200,
    answer: z.strictObject({ simulations: z.array(ListedSimulation), nextPageToken }),
  }),

  /** Compares a run with a later one, simulation by simulation, and says what is more than chance. */
  compare: operation({
    method: "GET",
    path: "/v1/runs/{runId}/comparison",
    summary: "Compare two runs",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({
      projectId,
      with: idInput("run").meta({ description: "Id of the other, later run (`run_…`)." }),
    }),
    status: 200,
    answer: z.strictObject({ comparison: RunComparison }),
    errors: ["conflict"],
  }),

  /**
   * Reads what happened since `after`. `caughtUp`: these were all so far; `done`: the run has ended, grading has settled and
   * every event is read. `wait` holds the answer until something happens, for so many seconds at most.
   */
  events: operation({
    method: "GET",
    path: "/v1/runs/{runId}/events",
    summary: "Read a run's events",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({
      projectId,
      after: z.coerce.number().int().min(0).optional().meta({ description: "The previous answer's `next`." }),
      wait: z.coerce
        .number()
        .int()
        .min(0)
        .max(LIMITS.eventWaitSeconds)
        .optional()
        .meta({ description: "Seconds to wait for the next event." }),
    }),
    status: 200,
    answer: z.strictObject({ events: z.array(RunEvent), next: count(), caughtUp: z.boolean(), done: z.boolean() }),
  }),

  /** The same events as server-sent events; the stream ends when the run is done. `Last-Event-ID` goes on where it broke off. */
  stream: operation({
    method: "GET",
    path: "/v1/runs/{runId}/events/stream",
    summary: "Follow a run's events",
    tag,
    ...readsProject,
    params,
    query: z.strictObject({ projectId, after: z.coerce.number().int().min(0).optional() }),
    status: 200,
    answer: "event-stream",
  }),

  /** Cancels what has not ended; canceling a run that has ended changes nothing. */
  cancel: operation({
    method: "POST",
    path: "/v1/runs/{runId}/cancel",
    summary: "Cancel a run",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer: z.strictObject({ run: Run }),
  }),
};
