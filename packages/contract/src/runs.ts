import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import { Grade, GradeSummary } from "./grades.ts";
import { id, idInput, timestamp } from "./ids.ts";
import { LIMITS } from "./limits.ts";
import { fitsDepth } from "./mock-tools.ts";
import { count, shareWhenKnown } from "./numbers.ts";
import { operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { RunComparison } from "./run-comparison.ts";
import { ENDING_REASONS, type EndingReason, RUN_STATUSES, SIMULATION_STATUSES, VERDICTS } from "./run-vocabulary.ts";
import { project, projectId } from "./selection.ts";
import { snakeCased } from "./snake-case.ts";
import { textUpTo } from "./texts.ts";

const bounded = (min: number, max: number, fallback: number, description: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .optional()
    .meta({ description, override: { type: "integer", minimum: min, maximum: max, default: fallback } });
const json = z.unknown().meta({ override: {} });
const ofAgent = <S extends z.ZodType>(shape: S) =>
  shape.refine(
    (value) => fitsDepth(value, LIMITS.mockToolDepth),
    `Nest it at most ${LIMITS.mockToolDepth} levels deep.`,
  );

const endingReason = z
  .enum(Object.keys(ENDING_REASONS) as [EndingReason, ...EndingReason[]])
  .nullable()
  .meta({
    description: `Why it ended; null before. ${Object.entries(ENDING_REASONS)
      .map(([reason, { by, meaning }]) => `\`${reason}\` (${by}): ${meaning}`)
      .join(" ")}`,
  });
const verdict = z.enum(VERDICTS);
const grading = z
  .enum(["pending", "running", "settled"])
  .meta({ description: "`settled`: the verdict is final until somebody asks for it anew." });

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

/** What a run would do, made without doing it. */
export const RunPlan = z
  .strictObject({
    simulationCount: count(),
    caller: z.enum(["scripted", "model"]),
    concurrency: count(),
    tests: z.array(
      z.strictObject({
        testVersionId: id("tstv"),
        testName: z.string(),
        personas: z.array(z.string()),
        behaviors: count(),
        decidedByCheck: count("Behaviors that code decides."),
        decidedByJudge: count("Behaviors that a model judges."),
        undecided: count("Behaviors that nothing can decide as the service is set up; they will be `not_graded`."),
      }),
    ),
    modelCallsAtMost: count(
      "Requests to a language model that callers and judge may make; one that it does not answer and that is sent again counts once.",
    ),
    warnings: z.array(z.string()),
  })
  .meta({ id: "RunPlan" });
export type RunPlan = z.infer<typeof RunPlan>;

const simulationShape = {
  id: id("sim"),
  runId: id("run"),
  projectId: id("prj"),
  testId: id("tst"),
  testVersionId: id("tstv"),
  testName: z.string(),
  personaId: z.string(),
  personaName: z.string(),
  iteration: count("1, 2, 3 …"),
  status: z.enum(SIMULATION_STATUSES),
  endingReason,
  endedBy: z
    .enum(["agent", "caller", "limit", "service", "outside", "canceled"])
    .nullable()
    .meta({ description: "Whose doing the ending was." }),
  message: z.string().nullable().meta({ description: "For people: what happened at the end." }),
  grading,
  verdict: verdict.nullable().meta({ description: "Null until graded." }),
  behaviorsGraded: count("Behaviors with a verdict other than `not_graded`."),
  behaviorCount: count(),
  turnCount: count(),
  traceId: z.string().nullable().meta({ description: "The conversation in `/v1/traces`." }),
  attempt: count("Tries; above 1 when the service stopped in the middle of an earlier one."),
  createdAt: timestamp(),
  startedAt: timestamp().nullable(),
  endedAt: timestamp().nullable(),
  durationMs: z.number().min(0).nullable().meta({ description: "Milliseconds of the conversation." }),
};

/** One conversation of a run, in a list. */
export const SimulationSummary = z.strictObject(simulationShape).meta({ id: "SimulationSummary" });
export type SimulationSummary = z.infer<typeof SimulationSummary>;

/** One conversation of a run in the run's list. */
export const ListedSimulation = z
  .strictObject({
    ...simulationShape,
    grades: z.array(GradeSummary).optional().meta({ description: "Of the last grading; sent with `grades=true`." }),
  })
  .meta({ id: "ListedSimulation" });
export type ListedSimulation = z.infer<typeof ListedSimulation>;

/** One conversation of a run with what was said, done and decided. */
export const Simulation = z
  .strictObject({
    ...simulationShape,
    turns: z.array(
      z.strictObject({
        index: count(),
        role: z.enum(["caller", "agent"]),
        text: z.string(),
        startedAt: timestamp(),
        endedAt: timestamp(),
      }),
    ),
    toolCalls: z.array(
      z.strictObject({
        turnIndex: count().nullable(),
        name: z.string(),
        arguments: json,
        result: json,
        error: z.string().nullable(),
        mocked: z.boolean(),
        durationMs: z.number().min(0),
      }),
    ),
    tools: z
      .strictObject({
        discovered: z.array(z.string()),
        covered: z.array(z.string()),
        uncovered: z.array(z.string()),
        unmocked: z.array(z.string()),
      })
      .meta({
        description:
          "Tools that are mocked or were called; `covered`: mocked and called; `uncovered`: mocked and never called; `unmocked`: called without a mock, so nothing was called.",
      }),
    grades: z.array(Grade),
    gradings: count("How often it was graded; the grades shown are of the last time."),
  })
  .meta({ id: "Simulation" });
export type Simulation = z.infer<typeof Simulation>;

const seq = count("Place in the run's events, from 1.");
const at = timestamp();

/** What happened in a run. */
export const RunEvent = z
  .discriminatedUnion("kind", [
    z.strictObject({ seq, at, kind: z.literal("run"), status: z.enum(RUN_STATUSES) }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("simulation"),
      simulationId: id("sim"),
      testName: z.string(),
      personaName: z.string(),
      status: z.enum(SIMULATION_STATUSES),
      reason: endingReason,
      verdict: verdict.nullable(),
    }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("turn"),
      simulationId: id("sim"),
      attempt: count(),
      index: count(),
      role: z.enum(["caller", "agent"]),
      text: z.string().meta({ description: "What was said; beyond 2,000 characters only the simulation has it." }),
    }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("grade"),
      simulationId: id("sim"),
      verdict,
      behaviorsGraded: count(),
      behaviorCount: count(),
    }),
  ])
  .meta({ id: "RunEvent" });
export type RunEvent = z.infer<typeof RunEvent>;

const options = {
  name: textUpTo(LIMITS.nameCharacters).optional(),
  iterations: bounded(1, LIMITS.runIterations, 1, "How often each test and persona is played."),
  concurrency: bounded(1, LIMITS.runConcurrency, 10, "Simulations at once."),
};
const limits = {
  caller: z
    .enum(["scripted", "model"])
    .optional()
    .meta({ description: "Default: `model` when the service has a language model, else `scripted`." }),
  turnLimit: bounded(2, LIMITS.runTurns, 60, "Turns of both sides."),
  timeLimitSeconds: bounded(1, LIMITS.runSeconds, 600, "Seconds of one conversation."),
};
const versions = z.array(idInput("tstv")).min(1).max(LIMITS.runTestVersions);
const yesOrNo = (description: string) =>
  z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .meta({ description, override: { type: "boolean" } });
const dryRun = yesOrNo("`true`: answer the plan and make nothing.");

const runParams = z.strictObject({ runId: idInput("run") });
const simulationParams = z.strictObject({ simulationId: idInput("sim") });
const query = z.strictObject({ projectId });
const tag = "Runs";
const idempotent = {
  idempotencyKey: "Idempotency-Key",
} as const;

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
      ...options,
      ...limits,
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
      ...options,
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

  get: operation({
    method: "GET",
    path: "/v1/runs/{runId}",
    summary: "Show a run",
    tag,
    ...readsProject,
    params: runParams,
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
    params: runParams,
    query: z.strictObject({
      projectId,
      verdict: verdict.optional(),
      grades: yesOrNo("`true`: with what each was graded by."),
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
    params: runParams,
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
    params: runParams,
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
    params: runParams,
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
    params: runParams,
    query,
    status: 200,
    answer: z.strictObject({ run: Run }),
  }),
};

export const simulations = {
  get: operation({
    method: "GET",
    path: "/v1/simulations/{simulationId}",
    summary: "Show a simulation",
    tag,
    ...readsProject,
    params: simulationParams,
    query,
    status: 200,
    answer: z.strictObject({ simulation: Simulation }),
  }),

  /** Grades a simulation that has ended once more, with the graders as they are now; what was decided before is kept. */
  regrade: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/regrade",
    summary: "Grade a simulation again",
    tag,
    ...writesProject,
    params: simulationParams,
    query,
    status: 200,
    answer: z.strictObject({ simulation: Simulation }),
    errors: ["conflict"],
  }),

  /**
   * Says that the state after the conversation is wrong (the booking is not in the calendar): the verdict becomes `failed`. A
   * veto can only lower a verdict, and it stays when the simulation is graded again.
   */
  veto: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/veto",
    summary: "Fail a simulation for the state that it left",
    tag,
    ...writesProject,
    params: simulationParams,
    query,
    body: z.strictObject({ reason: textUpTo(LIMITS.behaviorCharacters) }),
    status: 200,
    answer: z.strictObject({ simulation: Simulation }),
    errors: ["conflict"],
  }),

  /**
   * What an agent under test calls in place of a tool, while its simulation runs: the body is the tool's arguments, the answer
   * what is mocked for it. The token is the one that the agent was sent with each message, as a bearer.
   */
  useTool: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/tools/{tool}",
    summary: "Call a mocked tool",
    tag,
    credential: "public",
    scope: "none",
    params: z.strictObject({ simulationId: idInput("sim"), tool: z.string().min(1).max(LIMITS.nameCharacters) }),
    body: z.strictObject({
      id: z.string().max(200).optional(),
      arguments: ofAgent(z.record(z.string(), json)).optional(),
    }),
    status: 200,
    answer: z.strictObject({
      result: json.optional(),
      error: z.string().optional().meta({ description: "The tool failed so, or nothing is mocked for it." }),
    }),
    errors: ["not_authenticated", "not_found"],
  }),

  /**
   * Carries a conversation between the service and an agent that only the caller's machine can reach (a process that the
   * command line started). Sends what the agent did since the last call, and answers what to say to it next; it waits up to
   * 25 s for that.
   */
  bridge: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/bridge",
    summary: "Carry a conversation to a local agent",
    tag,
    ...writesProject,
    params: simulationParams,
    query,
    body: z.strictObject({
      answered: z
        .strictObject({
          toMessage: count(),
          messages: z.array(z.string().max(LIMITS.scenarioCharacters)).max(20),
          toolCalls: z
            .array(
              z.strictObject({
                id: z.string().max(200).nullable(),
                name: z.string().min(1).max(LIMITS.nameCharacters),
                arguments: ofAgent(json),
                result: ofAgent(json),
                error: z.string().max(LIMITS.behaviorCharacters).nullable(),
              }),
            )
            .max(32),
          ended: z.boolean(),
        })
        .optional()
        .meta({
          description: "What the agent did about a message; in the first call and about message 0, what it began with.",
        }),
      failed: z
        .strictObject({
          reason: z.enum(["agent_never_joined", "agent_error", "connection_refused"]),
          message: z.string().min(1).max(LIMITS.behaviorCharacters),
        })
        .optional()
        .meta({ description: "The agent's process could not be started, or stopped." }),
    }),
    status: 200,
    answer: z.strictObject({
      message: z
        .strictObject({ number: count(), text: z.string() })
        .nullable()
        .meta({ description: "To say to the agent now; null: ask again." }),
      over: z.boolean().meta({ description: "The conversation is over; stop the agent." }),
    }),
    errors: ["conflict"],
  }),
};
