import { contentOf } from "./attribute-values.ts";
import type { ToolRequest } from "./chat-messages.ts";
import type { ModelRequest } from "./chat-turns.ts";

/** A tool call that the model requested in the answer to `request`, and the result that a later chat has for it. */
export type RequestedTool = ToolRequest & { request: ModelRequest; result: unknown; resultNs?: bigint };

/**
 * Returns every tool call that the model requested, from its answers and from the chats of later requests, which repeat
 * the calls and add their results.
 */
export function requestedTools(requests: readonly ModelRequest[]): RequestedTool[] {
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
    // The first chat may start in the middle of the conversation: calls before the user's last message have other spans.
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
      // A chat may lack its beginning, never its end.
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

/** Returns the model's id of a call, which several calls may share; without an id, the name and arguments. */
const keyOf = (call: Pick<ToolRequest, "id"> & Partial<ToolRequest>): string =>
  call.id === null ? `name ${call.name} ${JSON.stringify(contentOf(call.arguments))}` : `id ${call.id}`;
