import { mockToolProblem, type operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { successProblem } from "../../grading/success-conditions.ts";
import { refusalOf } from "../../http/refusal.ts";
import type { Schema } from "../../stores/schema.ts";

type CreateBody = z.output<(typeof operations.mockTools.create)["body"]>;
type EditBody = z.output<(typeof operations.mockTools.edit)["body"]>;

/** `{answer}` or `{error}`, as the user sent it. */
type Outcome = { answer?: unknown; error?: string | undefined };

export type MockToolContent = {
  tool: string;
  outcome: Outcome;
  delayMs: number;
  /** Condition that the tool's result meets when a call succeeded, as the author wrote it. */
  succeedsWhen?: string | undefined;
  agentIds: string[];
};

export type MockToolRow = Schema["mock_tools"] & { agentIds: string[] };

export function decideCreate(body: CreateBody): MockToolContent {
  const { tool, delayMs, succeedsWhen, agentIds = [] } = body;
  return checked({ tool, outcome: outcomeOf(body), delayMs, succeedsWhen, agentIds });
}

/**
 * Returns the content after an edit. Each member of the edit replaces the same member of the current content. Throws for the same invalid
 * content as `decideCreate`.
 */
export function decideEdit(current: MockToolContent, edit: EditBody): MockToolContent {
  const outcome = outcomeOf(edit);
  return checked({
    tool: edit.tool ?? current.tool,
    outcome: Object.keys(outcome).length > 0 ? outcome : current.outcome,
    delayMs: edit.delayMs ?? current.delayMs,
    succeedsWhen: edit.succeedsWhen === undefined ? current.succeedsWhen : (edit.succeedsWhen ?? undefined),
    agentIds: edit.agentIds ?? current.agentIds,
  });
}

const outcomeOf = (body: Outcome | EditBody): Outcome => ({
  ...("answer" in body && { answer: body.answer }),
  ...(body.error !== undefined && { error: body.error }),
});

function checked(content: MockToolContent): MockToolContent {
  const { tool, outcome, delayMs, succeedsWhen, agentIds } = content;
  const problem = mockToolProblem({ tool, ...outcome, delayMs, ...(succeedsWhen !== undefined && { succeedsWhen }) });
  if (problem !== undefined) throw new AppError("unprocessable", problem);
  const unread = succeedsWhen === undefined ? undefined : successProblem(succeedsWhen);
  if (unread !== undefined) throw refusalOf("unprocessable", [{ path: "succeedsWhen", message: unread }]);
  const repeated = agentIds.find((agentId, at) => agentIds.indexOf(agentId) !== at);
  if (repeated === undefined) return content;
  throw new AppError("unprocessable", `The agent ${repeated} is listed twice; list each once.`);
}

export function refuseUnknownAgents([unknown]: readonly string[]): void {
  if (unknown === undefined) return;
  throw new AppError("unprocessable", `The project has no agent "${unknown}"; \`svc agents list\` shows them.`);
}

export const contentOf = ({ tool, outcome, delay_ms, succeeds_when, agentIds }: MockToolRow): MockToolContent => ({
  tool,
  outcome: JSON.parse(outcome),
  delayMs: delay_ms ?? 0,
  succeedsWhen: succeeds_when ?? undefined,
  agentIds,
});
