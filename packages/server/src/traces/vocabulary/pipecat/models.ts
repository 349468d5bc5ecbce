import { byStart } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, milliseconds, textOf } from "../attribute-values.ts";
import { hasFailed } from "../call-facts.ts";
import { type ChatMessage, messageOf, messagesOf } from "../chat-messages.ts";
import type { ModelRequest } from "../chat-turns.ts";
import { modelOf, providerOf, tokensOf } from "../gen-ai/spellings.ts";
import type { ModelCall, OfTurn, ToolCallDraft } from "../vocabulary.ts";
import type { Round } from "./rounds.ts";

/** Requests with the chat that they repeat. What tools a model asked for is in the next one's chat only. */
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
        asksTools: output === null,
      };
    });

/** What stands for the result of a tool that still runs. */
const withoutPending = (message: ChatMessage): ChatMessage => ({
  ...message,
  answers: message.answers.filter(({ result }) => result !== "IN_PROGRESS"),
});

/** Requests; of realtime models, which have a span when asked and one when they have answered, the two together. */
export function modelCalls({ models, agent }: Round): OfTurn<ModelCall>[] {
  const calls: OfTurn<ModelCall>[] = [];
  let request: StoredSpan | undefined;
  for (const span of models) {
    if (span.name === "llm_request") request = span;
    if (span.name !== "llm" && span.name !== "llm_response") continue;
    const asked = span.name === "llm" ? span : request;
    calls.push({
      model: modelOf(span.attributes),
      provider: providerOf(span.attributes),
      startNs: (asked ?? span).startNs,
      endNs: asked === undefined ? null : span.endNs,
      timeToFirstTokenMs: milliseconds(span.attributes["metrics.ttfb"], "seconds"),
      ...tokensOf(span.attributes),
      isError: hasFailed(span),
      retries: null,
      turn: agent,
      spanId: span.spanId,
    });
  }
  return calls;
}

/** Of realtime models, which have a span for the call and one for its result; of several calls at once the first is told. */
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
