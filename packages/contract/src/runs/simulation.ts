import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { json } from "../core/json.ts";
import { count, positive, versionNumber } from "../core/numbers.ts";
import { Grade, GradeSummary } from "../graders/grades.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { CallLine } from "../traces/call-line.ts";
import { endingReason } from "./ending.ts";
import { ENDING_PARTIES, SIMULATION_STATUSES } from "./vocabulary.ts";

const simulationShape = {
  id: id("sim"),
  runId: id("run"),
  projectId: id("prj"),
  testId: id("tst"),
  testVersionId: id("tstv"),
  testVersion: versionNumber,
  testName: z.string().meta({ description: "Name of the test when the run was created." }),
  personaId: z.string(),
  personaName: z.string(),
  iteration: count("Iteration number, starting at 1."),
  status: z.enum(SIMULATION_STATUSES),
  queuePosition: positive().nullable().meta({
    description:
      "Place among the run's queued simulations in the order in which they start, from 1; null when the simulation is not queued. A run plays at most `concurrency` simulations at the same time, and the service also limits the number of voice calls of all runs together.",
  }),
  endingReason,
  endedBy: z
    .enum(ENDING_PARTIES)
    .nullable()
    .meta({ description: "The party that caused the end; null before the end." }),
  message: z.string().nullable().meta({
    description: "Explanation of the end for people. It also says when the times of a call are unreliable.",
  }),
  grading: z
    .enum(["pending", "running", "settled"])
    .meta({ description: "`settled`: the verdict is final unless someone grades the simulation again." }),
  verdict: z.enum(VERDICTS).nullable().meta({
    description:
      "`passed`: every expected behavior passed, and so did every grader that counts and applies; with `allowUngraded`, at least one behavior passed and none of them failed or is errored. `failed`: at least one of them failed. `errored`: none failed, and at least one is errored. Otherwise there is no decision: `inconclusive` or `not_graded`. Null before the first grading.",
  }),
  behaviorsGraded: count("Number of behaviors with the verdict `passed` or `failed`."),
  behaviorCount: count(),
  turnCount: count(),
  traceId: z.string().nullable().meta({ description: "Id of the conversation in `/v1/traces`." }),
  attempt: count(
    "Number of attempts. It is more than 1 when the service stopped during an earlier attempt, or when a stall of the service disturbed an earlier attempt.",
  ),
  createdAt: timestamp(),
  startedAt: timestamp().nullable(),
  endedAt: timestamp().nullable(),
  durationMs: z.number().min(0).nullable().meta({ description: "Length of the conversation in milliseconds." }),
};

/** Simulation (one conversation of a run) without its turns, tool calls and grades. */
export const SimulationSummary = z.strictObject(simulationShape).meta({ id: "SimulationSummary" });
export type SimulationSummary = z.infer<typeof SimulationSummary>;

/** Simulation in the list of a run, with its grades when the request asks for them. */
export const ListedSimulation = z
  .strictObject({
    ...simulationShape,
    grades: z
      .array(GradeSummary)
      .optional()
      .meta({ description: "Grades of the last grading. Present with `grades=true`." }),
  })
  .meta({ id: "ListedSimulation" });
export type ListedSimulation = z.infer<typeof ListedSimulation>;

/** Simulation with its turns, tool calls and grades. */
export const Simulation = z
  .strictObject({
    ...simulationShape,
    turns: z.array(
      z.strictObject({
        index: count(),
        role: z.enum(["caller", "agent"]),
        text: z.string().nullable().meta({
          description:
            "Null when the words are unknown: without speech recognition, the service knows only that the agent spoke.",
        }),
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
          "Names of tools with a mock tool or with a call. `discovered`: all of them. `covered`: mocked, and the mock tool answered. `uncovered`: mocked, but the mock tool was not used. `unmocked`: called without a mock tool; the service executed nothing, or an agent in a local process used its real tool.",
      }),
    line: CallLine.nullable().meta({
      description:
        "Signalling and packets of a call over SIP, even of a call that was not established; null for other connections, and before the end.",
    }),
    grades: z.array(Grade),
    gradings: count("Number of gradings so far. `grades` contains the grades of the last grading."),
  })
  .meta({ id: "Simulation" });
export type Simulation = z.infer<typeof Simulation>;
