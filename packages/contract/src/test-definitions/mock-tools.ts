import { z } from "zod";
import { id, idInput, timestamp } from "../core/ids.ts";
import { fitsDepth } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  listOperation,
} from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * Returns why a mock tool as a whole is invalid, as a sentence with the fix; undefined for a valid one. A mock tool has exactly one
 * of `answer` and `error`. Its depth and its size are limited.
 */
export function mockToolProblem(mock: Readonly<Record<string, unknown>>): string | undefined {
  if ("answer" in mock === "error" in mock) return "Send either `answer` or `error` for a mock tool.";
  if (!fitsDepth(mock.answer, LIMITS.mockToolDepth)) {
    return `Nest a mock tool's answer at most ${LIMITS.mockToolDepth} levels deep.`;
  }
  // A delay of 0 does not count towards the size. Otherwise, a mock tool that was stored before `delay_ms` existed could now be too
  // large.
  const { delay_ms, delayMs = delay_ms, ...rest } = mock;
  if (bytesOf(delayMs ? mock : rest) > LIMITS.mockToolBytes) {
    return `Keep a mock tool under ${LIMITS.mockToolBytes / 1024} KiB of JSON.`;
  }
  return undefined;
}

const tool = textUpTo(LIMITS.nameCharacters).meta({ description: "Name of the agent's tool." });
const toolAnswer = z.unknown().optional().meta({ description: "The tool's answer: any JSON value, including null." });
const error = textUpTo(LIMITS.behaviorCharacters)
  .optional()
  .meta({ description: "Error message with which the tool fails." });
const SUCCEEDS_WHEN =
  "Condition on the tool's result under which a call counts as successful, such as `verified = true`. Without a condition, the service decides from the result itself.";
const succeedsWhen = textUpTo(LIMITS.behaviorCharacters).meta({ description: SUCCEEDS_WHEN });
const delay = z
  .int()
  .min(0)
  .max(LIMITS.mockToolDelayMs)
  .meta({
    description: "Delay of the tool's answer in milliseconds.",
    override: { type: "integer", minimum: 0, maximum: LIMITS.mockToolDelayMs },
  });

/**
 * Mock tool of a test: the prepared result of an agent's tool. The result is either `answer` (any JSON value) or `error`, after
 * `delay_ms` milliseconds. `succeeds_when` is the condition on the result under which a call of the tool counts as successful.
 */
export const MockTool = z
  .strictObject({
    tool,
    answer: toolAnswer,
    error,
    delay_ms: delay.default(0),
    succeeds_when: succeedsWhen.optional(),
  })
  .superRefine((mock, context) => {
    const message = mockToolProblem(mock);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .meta({ id: "MockTool" });

const agentIds = z
  .array(z.string().min(1).max(LIMITS.nameCharacters))
  .max(LIMITS.agentsOfMockTool)
  .meta({ description: "Ids of the agents that the mock tool applies to. Empty: every agent of the project." });

/** Mock tool of the project. It applies to every test that has no mock tool for the same tool. */
export const ProjectMockTool = z
  .strictObject({
    id: id("mck"),
    projectId: id("prj"),
    tool: z.string(),
    answer: toolAnswer,
    error: z.string().optional(),
    delayMs: delay,
    succeedsWhen: z.string().optional().meta({ description: SUCCEEDS_WHEN }),
    agentIds: z
      .array(id("agt"))
      .meta({ description: "Ids of the agents that the mock tool applies to. Empty: every agent of the project." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "ProjectMockTool" });

const all = {
  tag: "Mock tools",
  path: "/v1/mock-tools",
  query: z.strictObject({ projectId }),
  answer: z.strictObject({ mockTool: ProjectMockTool }),
} as const;
const one = {
  ...all,
  path: "/v1/mock-tools/{mockToolId}",
  resource: "mockTool",
  params: z.strictObject({ mockToolId: idInput("mck") }),
} as const;

/** Mock tools of a project. */
export const mockTools = {
  /** Lists the project's mock tools, newest first. */
  list: listOperation({ ...all, summary: "List mock tools", items: { mockTools: ProjectMockTool } }),

  /**
   * Creates a mock tool. Answers 409 `name_taken` when another mock tool of the same tool already applies to one of the agents, or
   * when both apply to every agent.
   */
  create: createOperation({
    ...all,
    summary: "Create a mock tool",
    body: z.strictObject({
      tool,
      answer: toolAnswer,
      error,
      delayMs: delay.default(0),
      succeedsWhen: succeedsWhen.optional(),
      agentIds: agentIds.optional(),
    }),
    errors: ["name_taken"],
  }),

  /** Returns a mock tool. */
  get: getOperation({ ...one, summary: "Show a mock tool" }),

  /**
   * Changes the given fields of a mock tool. `answer` removes `error`, and `error` removes `answer`. `succeedsWhen: null` removes the
   * condition of success. `agentIds` replaces the whole list.
   */
  edit: editOperation({
    ...one,
    summary: "Edit a mock tool",
    description:
      "Changes the given fields. A given `answer` removes `error`, a given `error` removes `answer`, `succeedsWhen: null` removes the condition of success, and `agentIds` replaces the whole list.",
    body: z.strictObject({
      tool: tool.optional(),
      answer: toolAnswer,
      error,
      delayMs: delay.optional(),
      succeedsWhen: succeedsWhen
        .nullable()
        .optional()
        .meta({ description: `${SUCCEEDS_WHEN} Null removes the condition.` }),
      agentIds: agentIds.optional(),
    }),
    errors: ["name_taken"],
  }),

  /** Deletes a mock tool. Runs that started before the deletion still use it. */
  delete: deleteOperation({ ...one, summary: "Delete a mock tool" }),
};
