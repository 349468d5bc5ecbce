import { recordOf, structureOf, textOf } from "./attribute-values.ts";
import { itemsOf } from "./indexed-attributes.ts";

/** A tool call that a model requests. Its arguments are not parsed. */
export type ToolRequest = { id: string | null; name: string | null; arguments: unknown };

/** The result of a tool call. The result is not parsed. */
type ToolResult = { id: string | null; result: unknown };

export type ChatMessage = {
  role: "user" | "agent" | "tool" | "system";
  text: string | null;
  hasContent: boolean; // also true for withheld text and for an image
  toolRequests: ToolRequest[];
  toolResults: ToolResult[];
};

const ROLES = new Map<unknown, ChatMessage["role"]>([
  ["user", "user"],
  ["human", "user"],
  ["assistant", "agent"],
  ["model", "agent"],
  ["ai", "agent"],
  ["tool", "tool"],
  ["function", "tool"],
  ["system", "system"],
  ["developer", "system"],
]);

/** Returns the messages in a list or in an object with numbered members. Also accepts JSON text of either. */
export const messagesOf = (value: unknown): ChatMessage[] => itemsOf(structureOf(value)).map(messageOf);

/** Returns a message that is in the format of OpenAI, Anthropic, Gemini, OpenInference or OpenTelemetry's GenAI conventions. */
export function messageOf(value: unknown): ChatMessage {
  const outer = recordOf(value);
  const message = recordOf(outer["message"] ?? outer);
  const role = ROLES.get(message["role"]);
  const read: ChatMessage = {
    role: role ?? "system",
    text: null,
    hasContent: false,
    toolRequests: [],
    toolResults: [],
  };
  const content = message["parts"] ?? message["contents"] ?? message["content"];
  if (role === "tool" && message["parts"] === undefined) {
    read.toolResults.push({
      id: textOf(message["tool_call_id"]) ?? textOf(message["id"]),
      result: textIfAllText(content),
    });
    return read;
  }
  const parts = role === undefined ? [message] : typeof content === "string" ? [content] : itemsOf(content);
  const texts = parts.flatMap((part) => readPart(part, read) ?? []);
  for (const call of itemsOf(structureOf(message["tool_calls"]))) read.toolRequests.push(toolRequest(recordOf(call)));
  if (role === undefined && read.toolRequests.length > 0) read.role = "agent";
  if (role === undefined && read.toolResults.length > 0) read.role = "tool";
  read.text = textOf(texts.join("\n"));
  read.hasContent ||= read.text !== null;
  return read;
}

function readPart(value: unknown, read: ChatMessage): string | null {
  if (typeof value === "string") return textOf(value);
  const part = recordOf(recordOf(value)["message_content"] ?? value);
  const call = part["function_call"] ?? part["functionCall"];
  const response = part["function_response"] ?? part["functionResponse"];
  switch (call !== undefined ? "tool_call" : response !== undefined ? "function_response" : part["type"]) {
    case "tool_call":
    case "tool_use":
    case "function_call":
      read.toolRequests.push(toolRequest(call === undefined ? part : recordOf(call)));
      return null;
    case "function_response":
      read.toolResults.push({ id: textOf(recordOf(response)["id"]), result: recordOf(response)["response"] });
      return null;
    case "tool_call_response":
    case "tool_result":
    case "function_call_output":
      read.toolResults.push(toolResult(part));
      return null;
    case "reasoning":
    case "thinking":
      return null;
    case "blob":
    case "audio":
    case "input_audio":
      // The content is sound, encoded as base64.
      read.hasContent = true;
      return textOf(part["transcript"]) ?? textOf(part["text"]);
  }
  const text = textOf(part["text"]) ?? textOf(part["content"]) ?? textOf(part["transcript"]);
  read.hasContent ||= text !== null || textOf(part["type"]) !== null;
  return text;
}

function toolRequest(value: Record<string, unknown>): ToolRequest {
  const call = recordOf(value["tool_call"] ?? value);
  const tool = recordOf(call["function"] ?? call);
  return {
    id: textOf(call["call_id"]) ?? textOf(call["id"]),
    name: textOf(tool["name"]),
    arguments: tool["arguments"] ?? tool["args"] ?? tool["input"],
  };
}

const toolResult = (part: Record<string, unknown>): ToolResult => ({
  id: textOf(part["id"]) ?? textOf(part["tool_use_id"]) ?? textOf(part["call_id"]),
  result: part["response"] ?? part["result"] ?? textIfAllText(part["content"] ?? part["output"]),
});

function textIfAllText(content: unknown): unknown {
  const items = itemsOf(content);
  const texts = items.map((item) => recordOf(item)["text"]).filter((text) => typeof text === "string");
  return items.length > 0 && texts.length === items.length ? texts.join("\n") : content;
}
