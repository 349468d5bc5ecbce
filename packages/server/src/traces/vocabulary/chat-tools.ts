import { byStart } from "../conversation/span-tree.ts";
import { prefixLength } from "../prefix-length.ts";
import type { StoredSpan } from "../stored-span.ts";
import { contentOf } from "./attribute-values.ts";
import type { ToolRequest } from "./chat-messages.ts";
import type { ModelRequest } from "./chat-turns.ts";
import type { ToolCallDraft, TurnDraft } from "./vocabulary.ts";

/** The span of a tool call. The arguments and the result are not parsed. */
export type ToolSpan = {
  span: StoredSpan;
  id: string | null;
  name: string | null;
  arguments: unknown;
  result: unknown;
  isError: boolean | null;
};

/**
 * Returns every tool call once. When a call has a span, the chat supplies only values that the span lacks. When a call has no span, all
 * its values are from the chat, and it starts at the end of the model request whose answer contains it. `requests` must be sorted by
 * start.
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

/**
 * Returns the arguments of a tool call from its span, or from the model's request when the span has none. Some senders drop the name of a
 * single argument in the span, so the model's arguments also count when only they are an object.
 */
const argumentsOf = (own: unknown, requested: unknown): unknown =>
  own === null || (!isObject(own) && isObject(requested)) ? requested : own;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reverses each list, so that `pop()` returns the earliest call. */
const reversed = (calls: Map<string | null, RequestedTool[]>): Map<string | null, RequestedTool[]> =>
  new Map([...calls].map(([key, list]) => [key, list.toReversed()]));

/** A tool call that the model requested in its answer to `request`, and the result, which is in a later chat. */
type RequestedTool = ToolRequest & { request: ModelRequest; result: unknown; resultNs?: bigint };

/** Finds the tool calls in the models' answers and in the chats of later requests, which repeat the calls and contain their results. */
function requestedTools(requests: readonly ModelRequest[]): RequestedTool[] {
  const tools: RequestedTool[] = [];
  const toolsOf = new Map<string, RequestedTool[]>();
  const add = (call: ToolRequest, request: ModelRequest): RequestedTool => {
    const tool: RequestedTool = { ...call, request, result: null };
    const same = toolsOf.get(keyOf(call));
    if (same === undefined) toolsOf.set(keyOf(call), [tool]);
    else same.push(tool);
    return tool;
  };
  requests.forEach((request, position) => {
    const before = requests[position - 1] ?? request;
    // The first chat may start in the middle of the conversation. The calls before the user's last message then belong to other spans.
    const firstNew =
      position > 0 ? 0 : request.chat.findLastIndex(({ role, hasContent }) => hasContent && role === "user");
    const inChat = request.chat.flatMap((message, at) =>
      message.toolRequests.map((call) => ({ call, isNew: at >= firstNew })),
    );
    for (const [key, calls] of Map.groupBy(inChat, ({ call }) => keyOf(call))) {
      for (const { call, isNew } of calls.slice(toolsOf.get(key)?.length ?? 0)) {
        const tool = add(call, before);
        if (isNew) tools.push(tool);
      }
    }
    const resultsOf = Map.groupBy(
      request.chat.flatMap((message) => message.toolResults),
      ({ id }) => id,
    );
    for (const [id, results] of resultsOf) {
      const same = id === null ? undefined : toolsOf.get(keyOf({ id }));
      if (same === undefined) continue;
      // A chat may lack the beginning of the conversation, but not its end.
      results.slice(-same.length).forEach(({ result }, at, { length }) => {
        const tool = same[same.length - length + at]!;
        tool.result = result;
        tool.resultNs ??= request.span.startNs;
      });
    }
    for (const call of request.answer.flatMap((message) => message.toolRequests)) tools.push(add(call, request));
  });
  return tools;
}

/** Returns the key of a tool call: its id, or its name and arguments. Several calls may have the same key. */
const keyOf = (call: Pick<ToolRequest, "id"> & Partial<ToolRequest>): string =>
  call.id === null ? `name ${call.name} ${JSON.stringify(contentOf(call.arguments))}` : `id ${call.id}`;
