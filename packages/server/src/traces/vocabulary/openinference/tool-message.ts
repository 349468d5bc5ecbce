import { recordOf, structureOf, textOf } from "../attribute-values.ts";

/** The answer of a tool inside the message in which LangChain stores it. */
type ToolMessage = { callId: string | null; result: unknown; isError: boolean | null };

/** Returns the answer in a LangChain tool message, which has its members in `data` since version 1; null for other values. */
export function toolMessageOf(value: unknown): ToolMessage | null {
  const message = recordOf(structureOf(value));
  const members = "data" in message ? recordOf(message["data"]) : message;
  if (message["type"] !== "tool" || !("tool_call_id" in members)) return null;
  const { content, status } = members;
  return {
    callId: textOf(members["tool_call_id"]),
    result: content,
    isError: status === "error" ? true : status === "success" ? false : null,
  };
}
