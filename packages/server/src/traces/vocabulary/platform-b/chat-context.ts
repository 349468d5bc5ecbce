import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, listOf, numberOf, recordOf, structureOf, textOf } from "../attribute-values.ts";
import { said } from "./names.ts";

/** What the agent has said before a request to the model, as the request repeats it. */
export type AgentMessage = { text: string; startedMs: number | null; interrupted: boolean | null };

/** A larger number cannot be seconds of this century. */
const LARGEST_SECONDS = 1e11;

/** The spans that repeat the chat so far, in one way: an `llm_node`'s context, else its `llm_request`'s input messages. */
export function spansWithChat(spans: readonly StoredSpan[]): StoredSpan[] {
  const nodes = spans.filter((span) => span.name === "llm_node" && said(span, "chat_ctx") !== undefined);
  if (nodes.length > 0) return nodes;
  return spans.filter((span) => span.name === "llm_request" && span.attributes["gen_ai.input.messages"] !== undefined);
}

/** The agent's messages of an `llm_node`'s chat context or an `llm_request`'s input messages, oldest first. */
export function agentMessages(span: StoredSpan): AgentMessage[] {
  const chat = structureOf(
    span.name === "llm_node" ? said(span, "chat_ctx") : span.attributes["gen_ai.input.messages"],
  );
  return listOf(Array.isArray(chat) ? chat : recordOf(chat)["items"]).flatMap((item) => {
    const message = recordOf(item);
    const text = message["role"] === "assistant" ? wordsOf(message) : null;
    return text === null ? [] : { text, startedMs: startedMs(message), interrupted: flagOf(message["interrupted"]) };
  });
}

/** `content` is a text or a list with texts in it; GenAI messages have `parts` with a `content` each. */
function wordsOf(message: Record<string, unknown>): string | null {
  const content = message["content"] ?? message["parts"];
  const parts = Array.isArray(content) ? content : [content];
  const words = parts.map(
    (part) => textOf(part) ?? textOf(recordOf(part)["content"]) ?? textOf(recordOf(part)["text"]),
  );
  return textOf(words.filter((text) => text !== null).join("\n"));
}

/** Older JavaScript writes `startedSpeakingAt`. */
function startedMs(message: Record<string, unknown>): number | null {
  const metrics = recordOf(message["metrics"]);
  const time = numberOf(metrics["started_speaking_at"] ?? metrics["startedSpeakingAt"]);
  return time === null || time > LARGEST_SECONDS ? time : time * 1000;
}
