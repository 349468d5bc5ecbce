import { recordOf, structureOf, textOf } from "./attribute-values.ts";
import { itemsOf } from "./indexed-attributes.ts";

/** A tool as the model asked for it, and what the tool answered; arguments and result as they were sent. */
export type ToolRequest = { id: string | null; name: string | null; arguments: unknown };
type ToolAnswer = { id: string | null; result: unknown };

/** A message of a chat, whichever way it was written. */
export type ChatMessage = {
  role: "user" | "agent" | "tool" | "system";
  text: string | null;
  isSaid: boolean; // it says something, though the text may be withheld or an image
  asked: ToolRequest[];
  answers: ToolAnswer[];
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

/** The messages of a list, of a record with numbered members, or of one of the two in JSON text. */
export const messagesOf = (value: unknown): ChatMessage[] => itemsOf(structureOf(value)).map(messageOf);

/** Reads a message of OpenAI, of the GenAI conventions, of Anthropic, of Gemini or of OpenInference. */
export function messageOf(value: unknown): ChatMessage {
  const given = recordOf(value);
  const message = recordOf(given["message"] ?? given);
  const role = ROLES.get(message["role"]);
  const read: ChatMessage = { role: role ?? "system", text: null, isSaid: false, asked: [], answers: [] };
  const content = message["parts"] ?? message["contents"] ?? message["content"];
  if (role === "tool" && message["parts"] === undefined) {
    read.answers.push({
      id: textOf(message["tool_call_id"]) ?? textOf(message["id"]),
      result: plain(content),
    });
    return read;
  }
  const parts = role === undefined ? [message] : typeof content === "string" ? [content] : itemsOf(content);
  const texts = parts.flatMap((part) => readPart(part, read) ?? []);
  for (const call of itemsOf(structureOf(message["tool_calls"]))) read.asked.push(toolRequest(recordOf(call)));
  if (role === undefined && read.asked.length > 0) read.role = "agent";
  if (role === undefined && read.answers.length > 0) read.role = "tool";
  read.text = textOf(texts.join("\n"));
  read.isSaid ||= read.text !== null;
  return read;
}

/** Notes what a part tells; gives back its text. */
function readPart(value: unknown, read: ChatMessage): string | null {
  if (typeof value === "string") return textOf(value);
  const part = recordOf(recordOf(value)["message_content"] ?? value);
  const asked = part["function_call"] ?? part["functionCall"];
  const answer = part["function_response"] ?? part["functionResponse"];
  switch (asked !== undefined ? "tool_call" : answer !== undefined ? "function_response" : part["type"]) {
    case "tool_call":
    case "tool_use":
    case "function_call":
      read.asked.push(toolRequest(asked === undefined ? part : recordOf(asked)));
      return null;
    case "function_response":
      read.answers.push({ id: textOf(recordOf(answer)["id"]), result: recordOf(answer)["response"] });
      return null;
    case "tool_call_response":
    case "tool_result":
    case "function_call_output":
      read.answers.push(toolAnswer(part));
      return null;
    case "reasoning":
    case "thinking":
      return null;
  }
  const text = textOf(part["text"]) ?? textOf(part["content"]) ?? textOf(part["transcript"]);
  read.isSaid ||= text !== null || textOf(part["type"]) !== null;
  return text;
}

function toolRequest(given: Record<string, unknown>): ToolRequest {
  const call = recordOf(given["tool_call"] ?? given);
  const called = recordOf(call["function"] ?? call);
  return {
    id: textOf(call["call_id"]) ?? textOf(call["id"]),
    name: textOf(called["name"]),
    arguments: called["arguments"] ?? called["args"] ?? called["input"],
  };
}

const toolAnswer = (part: Record<string, unknown>): ToolAnswer => ({
  id: textOf(part["id"]) ?? textOf(part["tool_use_id"]) ?? textOf(part["call_id"]),
  result: part["response"] ?? part["result"] ?? plain(part["content"] ?? part["output"]),
});

/** A result that is a list of texts is their text. */
function plain(content: unknown): unknown {
  const items = itemsOf(content);
  const texts = items.map((item) => recordOf(item)["text"]).filter((text) => typeof text === "string");
  return items.length > 0 && texts.length === items.length ? texts.join("\n") : content;
}
