import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, flagOf, listOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import type { ToolCallDraft } from "../vocabulary.ts";
import { said } from "./names.ts";
import type { Speech } from "./speeches.ts";

/** A call as the model asked for it. */
type Request = { id: string | null; name: string | null; arguments: unknown };

/** The calls of a speech in the order of their start; what a tool's span leaves out is taken from the model's request. */
export function toolCallsOf(speech: Speech): ToolCallDraft[] {
  const requests = speech.tools.every(isWhole) ? [] : speech.requests.flatMap(requestsOf);
  return speech.tools.map((tool) => ({ ...toolCallOf(tool, take(requests, tool)), turn: speech.turn }));
}

/** A call whose speech is not known, or not yet. */
export const strayToolCall = (tool: StoredSpan): ToolCallDraft => ({ ...toolCallOf(tool), turn: null });

function toolCallOf(tool: StoredSpan, request?: Request): Omit<ToolCallDraft, "turn"> {
  return {
    id: idOf(tool) ?? request?.id ?? null,
    name: nameOf(tool),
    arguments: contentOf(argumentsOf(tool) ?? request?.arguments),
    result: contentOf(said(tool, "function_tool.output") ?? tool.attributes["gen_ai.tool.call.result"]),
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
  said(tool, "function_tool.arguments") ?? tool.attributes["gen_ai.tool.call.arguments"];

/** A tool's failure leaves its span's status unset. */
function isError({ attributes, status }: StoredSpan): boolean | null {
  const flag = flagOf(attributes["lk.function_tool.is_error"]);
  if (flag !== null) return flag;
  return status === "error" || textOf(attributes["error.type"]) !== null ? true : null;
}

/** Older JavaScript writes `callId` and `args`. */
function requestsOf(llmNode: StoredSpan): Request[] {
  return listOf(structureOf(said(llmNode, "response.function_calls"))).map((item) => {
    const call = recordOf(item);
    return {
      id: textOf(call["call_id"]) ?? textOf(call["callId"]),
      name: textOf(call["name"]),
      arguments: call["arguments"] ?? call["args"],
    };
  });
}

/** The first request that this tool may be, each for one tool. */
function take(requests: Request[], tool: StoredSpan): Request | undefined {
  const known = argumentsOf(tool) ?? null;
  const index = requests.findIndex(
    (request) => request.name === nameOf(tool) && (known === null || request.arguments === known),
  );
  return index < 0 ? undefined : requests.splice(index, 1)[0];
}
