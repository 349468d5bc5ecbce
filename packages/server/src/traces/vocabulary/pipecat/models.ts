import { byStart } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, milliseconds, textOf } from "../attribute-values.ts";
import { errorOf, hasFailed } from "../span-facts.ts";
import { type ChatMessage, messageOf, messagesOf } from "../chat-messages.ts";
import type { ModelRequest } from "../chat-turns.ts";
import { modelOf, providerOf, tokensOf } from "../gen-ai/spellings.ts";
import type { ModelCall, DraftOf, ToolCallDraft } from "../vocabulary.ts";
import type { Round } from "./rounds.ts";

/** The tool calls that a model requested are only in the chat of the next request. */
export const modelRequests = (spans: readonly StoredSpan[]): ModelRequest[] =>
  spans
    .filter(({ name }) => name === "llm" || name === "llm_request")
    .sort(byStart)
    .map((span) => {
      const output = textOf(span.attributes["output"]);
      return {
        span,
        chat: messagesOf(span.attributes["input"]).map(withoutPending),
        answer: output === null ? [] : [messageOf({ role: "assistant", content: output })],
        requestsTools: output === null,
      };
    });

/** Removes the placeholder for the result of a tool that is still running. */
const withoutPending = (message: ChatMessage): ChatMessage => ({
  ...message,
  toolResults: message.toolResults.filter(({ result }) => result !== "IN_PROGRESS"),
});

/** A realtime model has a span for the request and a span for the response, which together are one call. */
export function modelCalls({ models, agent }: Round): DraftOf<ModelCall>[] {
  const calls: DraftOf<ModelCall>[] = [];
  let request: StoredSpan | undefined;
  for (const span of models) {
    if (span.name === "llm_request") request = span;
    if (span.name !== "llm" && span.name !== "llm_response") continue;
    const begin = span.name === "llm" ? span : request;
    calls.push({
      model: modelOf(span.attributes),
      provider: providerOf(span.attributes),
      startNs: (begin ?? span).startNs,
      endNs: begin === undefined ? null : span.endNs,
      timeToFirstTokenMs: milliseconds(span.attributes["metrics.ttfb"], "seconds"),
      ...tokensOf(span.attributes),
      isError: hasFailed(span),
      error: errorOf(span),
      retries: null,
      turn: agent,
      spanId: span.spanId,
    });
  }
  return calls;
}

/** When a model makes several calls at the same time, the spans contain only the first call. */
export function realtimeTools({ models, agent }: Round): ToolCallDraft[] {
  const results = new Map<unknown, StoredSpan>();
  for (const span of models) if (span.name === "llm_tool_result") results.set(span.attributes["tool.call_id"], span);
  const calls = models.filter(({ name }) => name === "llm_tool_call");
  return calls.map(({ attributes, startNs, spanId }) => {
    const id = textOf(attributes["tool.call_id"]);
    const result = id === null ? undefined : results.get(id);
    return {
      id,
      name: textOf(attributes["tool.function_name"]),
      arguments: contentOf(attributes["tool.arguments"]),
      result: contentOf(result?.attributes["tool.result"]),
      isError: result === undefined ? null : result.attributes["tool.result_status"] === "error",
      startNs,
      endNs: result?.startNs ?? null,
      turn: agent,
      spanId,
    };
  });
}
