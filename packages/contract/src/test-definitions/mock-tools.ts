import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { fitsDepth } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { nextPageToken, pageQuery } from "../core/pagination.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** What is wrong with a mock tool as a whole: exactly one of `answer` and `error`, not too deep, not too large. */
export function mockToolProblem(mock: Readonly<Record<string, unknown>>): string | undefined {
  if ("answer" in mock === "error" in mock) return "Give a mock tool either `answer` or `error`.";
  if (!fitsDepth(mock.answer, LIMITS.mockToolDepth)) {
    return `Nest a mock tool's answer at most ${LIMITS.mockToolDepth} levels deep.`;
  }
  if (bytesOf(mock) > LIMITS.mockToolBytes) {
    return `Keep a mock tool under ${LIMITS.mockToolBytes / 1024} KiB of JSON.`;
  }
  return undefined;
}

const tool = textUpTo(LIMITS.nameCharacters).meta({ description: "Name of the agent's tool." });
const toolAnswer = z.unknown().optional().meta({ description: "What the tool answers: any JSON, null included." });
const error = textUpTo(LIMITS.behaviorCharacters).optional().meta({ description: "The tool fails with this text." });
const delay = z
  .int()
  .min(0)
  .max(LIMITS.mockToolDelayMs)
  .optional()
  .meta({
    description: "Milliseconds before the tool answers.",
    override: { type: "integer", minimum: 0, maximum: LIMITS.mockToolDelayMs },
  });

/** A tool's answer in a simulation: either `answer` (any JSON, null included) or `error`, after `delay_ms`. */
export const MockTool = z
  .strictObject({ tool, answer: toolAnswer, error, delay_ms: delay })
  .superRefine((mock, context) => {
    const message = mockToolProblem(mock);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .meta({ id: "MockTool" });

const agentIds = z
  .array(z.string().min(1).max(LIMITS.nameCharacters))
  .max(LIMITS.agentsOfMockTool)
  .meta({ description: "The agents for which it answers; empty: every agent of the project." });

/** A mock tool of the project: answers wherever the test does not mock the same tool itself. */
export const ProjectMockTool = z
  .strictObject({
    id: id("mck"),
    projectId: id("prj"),
    tool: z.string(),
    answer: toolAnswer,
    error: z.string().optional(),
    delayMs: delay,
    agentIds: z.array(id("agt")).meta({ description: "Empty: every agent of the project." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "ProjectMockTool" });

const params = z.strictObject({ mockToolId: idInput("mck") });
const query = z.strictObject({ projectId });
const answer = z.strictObject({ mockTool: ProjectMockTool });
const tag = "Mock tools";

/** The project's mock tools. */
export const mockTools = {
  /** Lists the mock tools, the newest first. */
  list: operation({
    method: "GET",
    path: "/v1/mock-tools",
    summary: "List mock tools",
    tag,
    ...readsProject,
    query: z.strictObject({ projectId, ...pageQuery }),
    status: 200,
    answer: z.strictObject({ mockTools: z.array(ProjectMockTool), nextPageToken }),
  }),

  /** Creates a mock tool. A tool has one for every agent of the project and one for each agent; a second is refused. */
  create: operation({
    method: "POST",
    path: "/v1/mock-tools",
    summary: "Create a mock tool",
    tag,
    ...writesProject,
    query,
    body: z.strictObject({ tool, answer: toolAnswer, error, delayMs: delay, agentIds: agentIds.optional() }),
    status: 201,
    answer,
    errors: ["name_taken"],
  }),

  /** Answers a mock tool. */
  get: operation({
    method: "GET",
    path: "/v1/mock-tools/{mockToolId}",
    summary: "Show a mock tool",
    tag,
    ...readsProject,
    params,
    query,
    status: 200,
    answer,
  }),

  /** Changes what is sent: `answer` takes the place of `error` and the other way round, `agentIds` is replaced as a whole. */
  edit: operation({
    method: "PATCH",
    path: "/v1/mock-tools/{mockToolId}",
    summary: "Edit a mock tool",
    description: "`answer` takes the place of `error` and the other way round; `agentIds` is replaced as a whole.",
    tag,
    ...writesProject,
    params,
    query,
    body: z.strictObject({
      tool: tool.optional(),
      answer: toolAnswer,
      error,
      delayMs: delay,
      agentIds: agentIds.optional(),
    }),
    status: 200,
    answer,
    errors: ["name_taken"],
  }),

  /** Deletes a mock tool; runs that began with it keep it. */
  delete: operation({
    method: "DELETE",
    path: "/v1/mock-tools/{mockToolId}",
    summary: "Delete a mock tool",
    tag,
    ...writesProject,
    params,
    query,
    status: 204,
  }),
};
