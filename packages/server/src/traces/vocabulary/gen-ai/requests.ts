import type { StoredSpan } from "../../stored-span.ts";
import { listOf, numberOf, recordOf, structureOf } from "../attribute-values.ts";
import { type ChatMessage, messageOf, messagesOf } from "../chat-messages.ts";
import type { ModelRequest } from "../chat-turns.ts";
import { nested } from "../indexed-attributes.ts";

const WAITING_FOR_TOOLS = new Set<unknown>(["tool_calls", "tool_call", "tool_use", "function_call"]);

/**
 * Returns the request that a span describes. Its messages are in attributes, in an event with all details, in one event per message, or in
 * attributes with an index in the key. When the sender withholds the messages, the chat and the answer are empty.
 */
export function requestOf(span: StoredSpan): ModelRequest {
  const { chat, answer: choices } = messages(span);
  const several = (numberOf(span.attributes["gen_ai.request.choice.count"]) ?? 1) > 1;
  const answer = several ? choices.slice(0, 1) : choices;
  const requestsTools =
    answer.some(({ toolRequests }) => toolRequests.length > 0) ||
    finishes(span).some((why) => WAITING_FOR_TOOLS.has(why));
  return { span, chat, answer, requestsTools };
}

type Messages = { chat: ChatMessage[]; answer: ChatMessage[] };

function messages({ attributes, events }: StoredSpan): Messages {
  const details = events.find(({ name }) => name === "gen_ai.client.inference.operation.details");
  for (const source of [attributes, details?.attributes ?? {}]) {
    const [input, output] = [source["gen_ai.input.messages"], source["gen_ai.output.messages"]];
    if (input !== undefined || output !== undefined) return { chat: messagesOf(input), answer: messagesOf(output) };
  }
  const inEvents = events.flatMap((event) => eventMessage(event) ?? []);
  if (inEvents.length > 0) {
    const messagesIn = (isAnswer: boolean) =>
      inEvents.filter((event) => event.isAnswer === isAnswer).map(({ message }) => message);
    return { chat: messagesIn(false), answer: messagesIn(true) };
  }
  return {
    chat: messagesOf(nested(attributes, "gen_ai.prompt.")),
    answer: messagesOf(nested(attributes, "gen_ai.completion.")),
  };
}

/** The message is JSON in one attribute, or each of its members is an attribute. */
function eventMessage({ name, attributes }: StoredSpan["events"][number]) {
  const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1];
  if (role === undefined && name !== "gen_ai.choice") return null;
  const body = recordOf(structureOf(attributes["gen_ai.event.content"]) ?? attributes);
  const choice = structureOf(body["message"]) ?? body;
  const message = messageOf({ role: role ?? "assistant", ...recordOf(role === undefined ? choice : body) });
  return { message, isAnswer: role === undefined };
}

function finishes({ attributes, events }: StoredSpan): unknown[] {
  const choices = events.filter(({ name }) => name === "gen_ai.choice");
  return [
    ...listOf(attributes["gen_ai.response.finish_reasons"]),
    attributes["gen_ai.completion.0.finish_reason"],
    ...choices.map((choice) => choice.attributes["finish_reason"]),
  ];
}
