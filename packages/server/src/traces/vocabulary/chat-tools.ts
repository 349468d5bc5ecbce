import { headCount } from "../sorted.ts";
import { byStart } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { type AskedTool, askedTools } from "./asked-tools.ts";
import { contentOf } from "./attribute-values.ts";
import type { ModelRequest } from "./chat-turns.ts";
import type { ToolCallDraft, TurnDraft } from "./vocabulary.ts";

/** A tool's own span and what it tells; arguments and result as they were sent. */
export type ToolRun = {
  span: StoredSpan;
  id: string | null;
  name: string | null;
  arguments: unknown;
  result: unknown;
  isError: boolean | null;
};

/**
 * Every call once: as its span has it, completed from the chat; without a span, from the chat alone, beginning when the
 * model has asked for it. `requests` by start.
 */
export function chatTools(
  runs: readonly ToolRun[],
  requests: readonly ModelRequest[],
  turnOf: (request: ModelRequest) => TurnDraft | null,
): ToolCallDraft[] {
  const asked = askedTools(requests);
  const free = new Set(asked);
  const byId = inOrder(Map.groupBy(asked, ({ id }) => id));
  const byName = inOrder(Map.groupBy(asked, ({ name }) => name));
  const take = ({ id, name, span }: ToolRun): AskedTool | undefined => {
    const waiting = id === null ? byName.get(name) : byId.get(id);
    if (waiting === undefined) return undefined;
    while (waiting.length > 0 && !free.has(waiting.at(-1)!)) waiting.pop();
    const next = waiting.at(-1);
    if (next === undefined || next.request.span.startNs > span.startNs) return undefined;
    free.delete(next);
    return next;
  };
  const ran = runs
    .toSorted((a, b) => byStart(a.span, b.span))
    .map(({ span, ...run }): ToolCallDraft => {
      const call = take({ span, ...run });
      const request = call?.request ?? requests[headCount(requests, (one) => one.span.startNs <= span.startNs) - 1];
      return {
        id: run.id ?? call?.id ?? null,
        name: run.name ?? call?.name ?? null,
        arguments: contentOf(run.arguments ?? call?.arguments),
        result: contentOf(run.result ?? call?.result),
        isError: run.isError,
        startNs: span.startNs,
        endNs: span.endNs,
        turn: request === undefined ? null : turnOf(request),
        spanId: span.spanId,
      };
    });
  const unseen = [...free].map(({ request, ...call }): ToolCallDraft => {
    const { span } = request;
    const asked = { startNs: span.endNs ?? span.startNs, endNs: null, isError: null, spanId: span.spanId };
    const content = { arguments: contentOf(call.arguments), result: contentOf(call.result) };
    return { id: call.id, name: call.name, ...content, ...asked, turn: turnOf(request) };
  });
  return [...ran, ...unseen];
}

/** The earliest call of each list last, where it can be taken off. */
const inOrder = (calls: Map<string | null, AskedTool[]>): Map<string | null, AskedTool[]> =>
  new Map([...calls].map(([key, list]) => [key, list.toReversed()]));
