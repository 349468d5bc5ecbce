import { z } from "zod";
import { testsProject, writesProject } from "../core/access.ts";
import { idInput } from "../core/ids.ts";
import { fitsDepth, json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { Simulation } from "./simulation.ts";

/** Adds a limit on the depth of nesting to the schema of a JSON value from an agent. */
const limitedDepth = <S extends z.ZodType>(schema: S) =>
  schema.refine(
    (value) => fitsDepth(value, LIMITS.mockToolDepth),
    `Nest the value at most ${LIMITS.mockToolDepth} levels deep.`,
  );

const one = {
  tag: "Runs",
  path: "/v1/simulations/{simulationId}",
  resource: "simulation",
  params: z.strictObject({ simulationId: idInput("sim") }),
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ simulation: Simulation }),
} as const;
const change = { ...one, ...testsProject, method: "POST", status: 200, errors: ["conflict"] } as const;

/** Messages and tool calls of a local agent in response to one message. */
const answered = z.strictObject({
  toMessage: count(),
  messages: z.array(z.string().max(LIMITS.scenarioCharacters)).max(LIMITS.messagesPerTurn),
  toolCalls: z
    .array(
      z.strictObject({
        id: z.string().max(200).nullable(),
        name: z.string().min(1).max(LIMITS.nameCharacters),
        arguments: limitedDepth(json),
        result: limitedDepth(json),
        error: z.string().max(LIMITS.behaviorCharacters).nullable(),
        isParallel: z
          .boolean()
          .optional()
          .meta({ description: "`true` for a call that began before the previous call had its result." }),
      }),
    )
    .max(LIMITS.toolCallsPerTurn),
  ended: z.boolean(),
});

/** Simulations of runs. */
export const simulations = {
  /** Returns a simulation with its turns, its tool calls and the grades of its last grading. */
  get: getOperation({ ...one, summary: "Show a simulation" }),

  /** Grades an ended simulation again with the current graders. The earlier grades stay stored. */
  regrade: operation({
    ...change,
    ...writesProject,
    path: "/v1/simulations/{simulationId}/regrade",
    summary: "Grade a simulation again",
  }),

  /**
   * Vetoes a simulation because the state after the conversation is wrong, for example because the booking is missing in the
   * calendar. The verdict becomes `failed`, and stays `failed` when the simulation is graded again.
   */
  veto: operation({
    ...change,
    path: "/v1/simulations/{simulationId}/veto",
    summary: "Fail a simulation for a wrong final state",
    description: "The verdict becomes `failed`, and stays `failed` when the simulation is graded again.",
    body: z.strictObject({ reason: textUpTo(LIMITS.behaviorCharacters) }),
  }),

  /**
   * Returns the result of a mock tool. While a simulation runs, its agent sends this request with the tool's arguments instead of
   * calling the real tool. The service sends the bearer token to the agent with each message. `bridge` also returns the token.
   */
  useTool: operation({
    method: "POST",
    path: "/v1/simulations/{simulationId}/tools/{tool}",
    audit: {
      leftOut:
        "An agent under test sends this request during a conversation. The audit has a line for the start of the run.",
    },
    summary: "Call a mock tool",
    description:
      "While a simulation runs, the agent under test sends this request instead of calling its real tool. The agent receives the bearer token with each message.",
    tag: "Runs",
    credential: "public",
    scope: "none",
    roundsNumbers: true,
    bodyBytes: LIMITS.jsonBodyBytes,
    params: z.strictObject({ simulationId: idInput("sim"), tool: z.string().min(1).max(LIMITS.nameCharacters) }),
    body: z.strictObject({
      id: z.string().max(200).optional(),
      arguments: limitedDepth(z.record(z.string(), json)).optional(),
    }),
    status: 200,
    answer: z.strictObject({
      result: json.optional(),
      error: z
        .string()
        .optional()
        .meta({ description: "The mock tool's error message, or a message that no mock tool exists." }),
    }),
    errors: ["not_authenticated", "not_found"],
  }),

  /**
   * Relays a conversation between the service and an agent that only the client's machine can reach, such as a process that the
   * command line started. The request contains what the agent did since the last request. The answer contains the next message for
   * the agent; the service waits up to 25 seconds for that message.
   */
  bridge: operation({
    ...change,
    path: "/v1/simulations/{simulationId}/bridge",
    audit: {
      leftOut: "This request carries each message of a conversation. The audit has a line for the start of the run.",
    },
    roundsNumbers: true,
    summary: "Carry a conversation to a local agent",
    description:
      "For an agent that only the client's machine can reach. The request contains what the agent did since the last request; the answer contains the next message for the agent. The service waits up to 25 seconds for that message.",
    body: z.strictObject({
      starting: z.boolean().optional().meta({
        description:
          "`true` before the agent's process starts. The service then answers at once, with `tools` when the conversation is open, and ignores the rest of the body.",
      }),
      answered: answered.optional().meta({
        description:
          "The agent's messages and tool calls in response to a message. Message number 0 stands for everything before the first message.",
      }),
      failed: z
        .strictObject({
          reason: z.enum(["agent_never_joined", "agent_error", "connection_refused"]),
          message: z.string().min(1).max(LIMITS.behaviorCharacters),
        })
        .optional()
        .meta({ description: "Failure of the agent's process: it did not start, or it stopped." }),
    }),
    answer: z.strictObject({
      message: z
        .strictObject({ number: count(), text: z.string() })
        .nullable()
        .meta({ description: "Next message for the agent. Null: there is no message yet, so send the request again." }),
      attempt: count().optional().meta({
        description:
          "Number of the current attempt at the simulation; present together with `tools`. The agent's process sets this number as the attribute `svc.simulation_attempt` of its spans, so that the spans of an earlier attempt do not count.",
      }),
      over: z.boolean().meta({ description: "Whether the conversation is over. Then stop the agent." }),
      tools: z
        .strictObject({ names: z.array(z.string()), token: z.string() })
        .optional()
        .meta({
          description:
            "Names of the mock tools, and the bearer token for `/v1/simulations/{simulationId}/tools/{tool}`, valid until the conversation ends.",
        }),
    }),
  }),
};
