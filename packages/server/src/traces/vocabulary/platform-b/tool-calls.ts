import { LazyText } from "../../lazy-text.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, flagOf, listOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import type { ToolCallDraft } from "../vocabulary.ts";
import { contentAttribute } from "./names.ts";
import type { Speech } from "./speeches.ts";

type Request = { id: string | null; name: string | null; arguments: unknown };

/** Returns the tool calls of a speech. Values that the span of a tool lacks are from the model's request. */
export function toolCallsOf(speech: Speech): ToolCallDraft[] {
  const requests = speech.tools.every(isWhole) ? [] : speech.requests.flatMap(requestsOf);
  return speech.tools.map((tool) => ({ ...toolCallOf(tool, take(requests, tool)), turn: speech.turn }));
}

/** Returns a tool call without a turn, because its speech is unknown or has not arrived. */
export const toolCallWithoutSpeech = (tool: StoredSpan): ToolCallDraft => ({ ...toolCallOf(tool), turn: null });

function toolCallOf(tool: StoredSpan, request?: Request): Omit<ToolCallDraft, "turn"> {
  return {
    id: idOf(tool) ?? request?.id ?? null,
    name: nameOf(tool),
    arguments: contentOf(argumentsOf(tool) ?? request?.arguments),
    result: contentOf(contentAttribute(tool, "function_tool.output") ?? tool.attributes["gen_ai.tool.call.result"]),
    isError: isError(tool),
    startNs: tool.startNs,
    endNs: tool.endNs,
    spanId: tool.spanId,
  };
}

const isWhole = (tool: StoredSpan) => idOf(tool) !== null && argumentsOf(tool) !== undefined;

const idOf = ({ attributes }: StoredSpan) =>
  textOf(attributes["lk.function_tool.id"]) ?? textOf(attributes["gen_ai.tool.call.id"]);

const nameOf = ({ attributes }: StoredSpan) =>
  textOf(attributes["lk.function_tool.name"]) ?? textOf(attributes["gen_ai.tool.name"]);

const argumentsOf = (tool: StoredSpan) =>
  contentAttribute(tool, "function_tool.arguments") ?? tool.attributes["gen_ai.tool.call.arguments"];

/** An unset status proves nothing, because it stays unset even when the tool fails. */
function isError({ attributes, status }: StoredSpan): boolean | null {
  const flag = flagOf(attributes["lk.function_tool.is_error"]);
  if (flag !== null) return flag;
  return status === "error" || textOf(attributes["error.type"]) !== null ? true : null;
}

/** Older JavaScript versions write `callId` and `args`. */
function requestsOf(llmNode: StoredSpan): Request[] {
  return listOf(structureOf(contentAttribute(llmNode, "response.function_calls"))).map((item) => {
    const call = recordOf(item);
    return {
      id: textOf(call["call_id"]) ?? textOf(call["callId"]),
      name: textOf(call["name"]),
      arguments: call["arguments"] ?? call["args"],
    };
  });
}

function take(requests: Request[], tool: StoredSpan): Request | undefined {
  const sent = argumentsOf(tool) ?? null;
  const expected = sent instanceof LazyText ? sent.toString() : sent;
  const index = requests.findIndex(
    (request) => request.name === nameOf(tool) && (expected === null || request.arguments === expected),
  );
  return index < 0 ? undefined : requests.splice(index, 1)[0];
}
