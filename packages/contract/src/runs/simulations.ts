import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { Grade, GradeSummary } from "../graders/grades.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { fitsDepth, json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { SIMULATION_STATUSES, VERDICTS } from "./vocabulary.ts";
import { projectId } from "../core/selection.ts";
import { endingReason } from "./ending.ts";
import { textUpTo } from "../core/texts.ts";

const ofAgent = <S extends z.ZodType>(shape: S) =>
  shape.refine(
    (value) => fitsDepth(value, LIMITS.mockToolDepth),
    `Nest it at most ${LIMITS.mockToolDepth} levels deep.`,
  );

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
  grading: z
    .enum(["pending", "running", "settled"])
    .meta({ description: "`settled`: the verdict is final until somebody asks for it anew." }),
  verdict: z.enum(VERDICTS).nullable().meta({ description: "Null until graded." }),
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
          "Tools that are mocked or were called; `covered`: the mock answered; `uncovered`: mocked, and the mock was not asked; `unmocked`: called without a mock, so nothing was called, or an agent in a process of its own used its own tool.",
      }),
    grades: z.array(Grade),
    gradings: count("How often it was graded; the grades shown are of the last time."),
  })
  .meta({ id: "Simulation" });
export type Simulation = z.infer<typeof Simulation>;

const params = z.strictObject({ simulationId: idInput("sim") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ simulation: Simulation });
const tag = "Runs";

/** A run's simulated conversations. */
export const simulations = {
  /** Answers a simulation with what was said and called, and the grades of its last grading. */
  get: operation({
    method: "GET",
    path: "/v1/simulations/{simulationId}",
    summary: "Show a simulation",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /** Grades a simulation that has ended once more, with the graders as they are now; what was decided before is kept. */
  regrade: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/regrade",
    summary: "Grade a simulation again",
    tag,
    ...writesProject,
    params,
    query,
    status: 200,
    answer,
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
    params,
    query,
    body: z.strictObject({ reason: textUpTo(LIMITS.behaviorCharacters) }),
    status: 200,
    answer,
    errors: ["conflict"],
  }),

  /**
   * What an agent under test calls in place of a tool, while its simulation runs: the body is the tool's arguments, the answer
   * what is mocked for it. The token is the one that the agent was sent with each message, or that `bridge` answered, as a
   * bearer.
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
    params,
    query,
    body: z.strictObject({
      starting: z.boolean().optional().meta({
        description:
          "Before the agent's process is started: answers at once, with `tools` when the conversation is open. Nothing else of the body counts.",
      }),
      answered: z
        .strictObject({
          toMessage: count(),
          messages: z.array(z.string().max(LIMITS.scenarioCharacters)).max(LIMITS.messagesPerTurn),
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
            .max(LIMITS.toolCallsPerTurn),
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
      tools: z
        .strictObject({ names: z.array(z.string()), token: z.string() })
        .optional()
        .meta({
          description:
            "What is mocked, and the bearer token of `/v1/simulations/{simulationId}/tools/{tool}` until the conversation ends.",
        }),
    }),
    errors: ["conflict"],
  }),
};
