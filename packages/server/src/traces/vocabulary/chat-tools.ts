import { prefixLength } from "../prefix-length.ts";
import { byStart } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { type RequestedTool, requestedTools } from "./requested-tools.ts";
import { contentOf } from "./attribute-values.ts";
import type { ModelRequest } from "./chat-turns.ts";
import type { ToolCallDraft, TurnDraft } from "./vocabulary.ts";

/** The span of a tool and its values; arguments and result have the form in which the sender sent them. */
export type ToolSpan = {
  span: StoredSpan;
  id: string | null;
  name: string | null;
  arguments: unknown;
  result: unknown;
  isError: boolean | null;
};

/**
 * Returns every tool call once. A call with a span takes the values that the span lacks from the chat. A call without a
 * span has the chat's values and starts when the request that asked for it ends. `requests` come by start.
 */
export function chatTools(
  toolSpans: readonly ToolSpan[],
  requests: readonly ModelRequest[],
  turnOf: (request: ModelRequest) => TurnDraft | null,
): ToolCallDraft[] {
  const requested = requestedTools(requests);
  const unmatched = new Set(requested);
  const byId = reversed(Map.groupBy(requested, ({ id }) => id));
  const byName = reversed(Map.groupBy(requested, ({ name }) => name));
  const take = ({ id, name, span }: ToolSpan): RequestedTool | undefined => {
    const waiting = id === null ? byName.get(name) : byId.get(id);
    if (waiting === undefined) return undefined;
    while (waiting.length > 0 && !unmatched.has(waiting.at(-1)!)) waiting.pop();
    const next = waiting.at(-1);
    if (next === undefined || next.request.span.startNs > span.startNs) return undefined;
    unmatched.delete(next);
    return next;
  };
  const withSpan = toolSpans
    .toSorted((a, b) => byStart(a.span, b.span))
    .map((tool): ToolCallDraft => {
      const { span } = tool;
      const call = take(tool);
      const request = call?.request ?? requests[prefixLength(requests, (one) => one.span.startNs <= span.startNs) - 1];
      return {
        id: tool.id ?? call?.id ?? null,
        name: tool.name ?? call?.name ?? null,
        arguments: argumentsOf(contentOf(tool.arguments), contentOf(call?.arguments)),
        result: contentOf(tool.result ?? call?.result),
        isError: tool.isError,
        startNs: span.startNs,
        endNs: span.endNs,
        ...(span.endNs === null && call?.resultNs !== undefined && { resultNs: call.resultNs }),
        turn: request === undefined ? null : turnOf(request),
        spanId: span.spanId,
      };
    });
  const withoutSpan = [...unmatched].map(({ request, ...call }): ToolCallDraft => ({
    id: call.id,
    name: call.name,
    arguments: contentOf(call.arguments),
    result: contentOf(call.result),
    startNs: request.span.endNs ?? request.span.startNs,
    endNs: null,
    ...(call.resultNs !== undefined && { resultNs: call.resultNs }),
    isError: null,
    spanId: request.span.spanId,
    turn: turnOf(request),
  }));
  return [...withSpan, ...withoutSpan];
}

/** Returns the tool's own arguments; the model's when only these are an object, because some senders drop the name of a single argument. */
const argumentsOf = (own: unknown, requested: unknown): unknown =>
  own === null || (!isObject(own) && isObject(requested)) ? requested : own;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reverses each list, so that `pop()` takes its earliest call. */
const reversed = (calls: Map<string | null, RequestedTool[]>): Map<string | null, RequestedTool[]> =>
  new Map([...calls].map(([key, list]) => [key, list.toReversed()]));
