import { type MockTool, mockToolProblem, type operations, type ProjectMockTool } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

type Edit = z.output<(typeof operations.mockTools.edit)["body"]>;
type TestMock = z.output<typeof MockTool>;

/** `{answer}` or `{error}`, as the user sent it. */
type Outcome = { answer?: unknown; error?: string | undefined };

export type MockContent = { tool: string; outcome: Outcome; delayMs: number | undefined; agentIds: string[] };

export type MockRow = Schema["mock_tools"] & { agentIds: string[] };

/** The content that a new mock tool has. */
export function decideCreate(body: z.output<(typeof operations.mockTools.create)["body"]>): MockContent {
  return checked({ tool: body.tool, outcome: outcomeOf(body), delayMs: body.delayMs, agentIds: body.agentIds ?? [] });
}

/** The content that an edit leaves: what is not sent stays, and a new outcome takes the place of the old one. */
export function decideEdit(current: MockContent, edit: Edit): MockContent {
  const sent = outcomeOf(edit);
  return checked({
    tool: edit.tool ?? current.tool,
    outcome: Object.keys(sent).length > 0 ? sent : current.outcome,
    delayMs: edit.delayMs ?? current.delayMs,
    agentIds: edit.agentIds ?? current.agentIds,
  });
}

const outcomeOf = (body: Outcome | Edit): Outcome => ({
  ...("answer" in body && { answer: body.answer }),
  ...(body.error !== undefined && { error: body.error }),
});

function checked(content: MockContent): MockContent {
  const { tool, outcome, delayMs, agentIds } = content;
  const problem = mockToolProblem({ tool, ...outcome, ...(delayMs !== undefined && { delayMs }) });
  if (problem !== undefined) throw new AppError("unprocessable", problem);
  const repeated = agentIds.find((agentId, at) => agentIds.indexOf(agentId) !== at);
  if (repeated === undefined) return content;
  throw new AppError("unprocessable", `The agent ${repeated} is listed twice; list each once.`);
}

export function refuseUnknownAgents([unknown]: readonly string[]): void {
  if (unknown === undefined) return;
  throw new AppError("unprocessable", `The project has no agent "${unknown}"; \`svc agents list\` shows them.`);
}

export const contentOf = ({ tool, outcome, delay_ms, agentIds }: MockRow): MockContent => ({
  tool,
  outcome: JSON.parse(outcome),
  delayMs: delay_ms ?? undefined,
  agentIds,
});

export function presentMockTool(row: MockRow): z.infer<typeof ProjectMockTool> {
  const { tool, outcome, delayMs, agentIds } = contentOf(row);
  return {
    id: row.id,
    projectId: row.project_id,
    tool,
    ...outcome,
    ...(delayMs !== undefined && { delayMs }),
    agentIds,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** What answers a tool in a simulation. */
export type Mock = { tool: string; outcome: Outcome; delayMs: number };

/**
 * The mocks of one agent by the tool's name: the test's own win over the project's, and those for this agent over those
 * for every agent. Of a test's own for one tool the first wins.
 */
export function mocksFor(
  testMocks: readonly TestMock[],
  projectMocks: readonly MockContent[],
  agentId: string,
): Map<string, Mock> {
  const everyAgents = projectMocks.filter(({ agentIds }) => agentIds.length === 0);
  const thisAgents = projectMocks.filter(({ agentIds }) => agentIds.includes(agentId));
  const tests = testMocks.map(({ tool, delay_ms: delayMs, ...outcome }) => ({ tool, outcome, delayMs })).reverse();
  const mocks = [...everyAgents, ...thisAgents, ...tests];
  return new Map(mocks.map(({ tool, outcome, delayMs = 0 }) => [tool, { tool, outcome, delayMs }]));
}
