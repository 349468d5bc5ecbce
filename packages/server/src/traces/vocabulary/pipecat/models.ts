import { byStart } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { contentOf, milliseconds, textOf } from "../attribute-values.ts";
import { hasFailed } from "../call-facts.ts";
import { messagesOf } from "../chat-messages.ts";
import type { ModelRequest } from "../chat-turns.ts";
import { modelOf, providerOf, tokensOf } from "../gen-ai/spellings.ts";
import type { ModelCall, OfTurn, ToolCallDraft } from "../vocabulary.ts";
import type { Round } from "./rounds.ts";

/** Requests with the chat that they repeat. What tools a model asked for is in the next one's chat only. */
export const modelRequests = (spans: readonly StoredSpan[]): ModelRequest[] =>
  spans
    .filter(({ name }) => name === "llm" || name === "llm_request")
    .sort(byStart)
    .map((span) => ({ span, chat: messagesOf(span.attributes["input"]), answer: [], asksTools: false }));

/** Requests; of realtime models, which have a span when asked and one when they have answered, the two together. */
export const modelCalls = ({ models, agent }: Round): OfTurn<ModelCall>[] =>
  models.flatMap((span, place) => {
    if (span.name !== "llm" && span.name !== "llm_response") return [];
    const asked = span.name === "llm" ? span : models.slice(0, place).findLast(({ name }) => name === "llm_request");
    return {
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
    };
  });

/** Of realtime models, which have a span for the call and one for its result; of several calls at once the first is told. */
export function realtimeTools({ models, agent }: Round): ToolCallDraft[] {
  const results = models.filter(({ name }) => name === "llm_tool_result");
  return models.flatMap(({ name, attributes, startNs, spanId }) => {
    if (name !== "llm_tool_call") return [];
    const id = textOf(attributes["tool.call_id"]);
    const result = id === null ? undefined : results.find((one) => one.attributes["tool.call_id"] === id);
    const status = result?.attributes["tool.result_status"];
    return {
      id,
      name: textOf(attributes["tool.function_name"]),
      arguments: contentOf(attributes["tool.arguments"]),
      result: contentOf(result?.attributes["tool.result"]),
      isError: result === undefined ? null : status === "error",
      startNs,
      endNs: result?.startNs ?? null,
      turn: agent,
      spanId,
    };
  });
}
