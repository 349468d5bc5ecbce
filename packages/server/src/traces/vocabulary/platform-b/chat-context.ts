import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, listOf, numberOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import { contentAttribute } from "./names.ts";

/** A message of the agent that a request to the model repeats. */
export type AgentMessage = { text: string; startedMs: number | null; interrupted: boolean | null };

/** Unix times above this are milliseconds: as seconds, they would be in the year 5138 or later. */
const LARGEST_SECONDS = 1e11;

/** Returns the spans that repeat the chat so far: `llm_node` spans with a chat context, else `llm_request` spans with messages. */
export function spansWithChat(spans: readonly StoredSpan[]): StoredSpan[] {
  const nodes = spans.filter((span) => span.name === "llm_node" && contentAttribute(span, "chat_ctx") !== undefined);
  if (nodes.length > 0) return nodes;
  return spans.filter((span) => span.name === "llm_request" && span.attributes["gen_ai.input.messages"] !== undefined);
}

/** Returns the agent's messages in the chat that an `llm_node` or `llm_request` span repeats, oldest first. */
export function agentMessages(span: StoredSpan): AgentMessage[] {
  const chat = structureOf(
    span.name === "llm_node" ? contentAttribute(span, "chat_ctx") : span.attributes["gen_ai.input.messages"],
  );
  return listOf(Array.isArray(chat) ? chat : recordOf(chat)["items"]).flatMap((item) => {
    const message = recordOf(item);
    const text = message["role"] === "assistant" ? wordsOf(message) : null;
    return text === null ? [] : { text, startedMs: startedMs(message), interrupted: flagOf(message["interrupted"]) };
  });
}

/** Returns the text of a message: `content` is a text or a list of texts, and GenAI messages have `parts` with `content`. */
function wordsOf(message: Record<string, unknown>): string | null {
  const content = message["content"] ?? message["parts"];
  const parts = Array.isArray(content) ? content : [content];
  const words = parts.map(
    (part) => textOf(part) ?? textOf(recordOf(part)["content"]) ?? textOf(recordOf(part)["text"]),
  );
  return textOf(words.filter((text) => text !== null).join("\n"));
}

/** Returns the Unix time at which the agent began to say the message. Older JavaScript versions write `startedSpeakingAt`. */
function startedMs(message: Record<string, unknown>): number | null {
  const metrics = recordOf(message["metrics"]);
  const time = numberOf(metrics["started_speaking_at"] ?? metrics["startedSpeakingAt"]);
  return time === null || time > LARGEST_SECONDS ? time : time * 1000;
}
