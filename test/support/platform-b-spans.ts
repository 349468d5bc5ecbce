import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { EPOCH_NS, storedSpan } from "./stored-span.ts";

type SpanOptions = Parameters<typeof storedSpan>[0];

// The following functions create the spans of a platform_b call. All times are in milliseconds.
export const session = storedSpan({ id: "session", name: "agent_session", endMs: 60_000 });

export const span = (
  name: string,
  id: string,
  startMs: number,
  endMs: number,
  attributes = {},
  rest: Partial<SpanOptions> = {},
) => storedSpan({ id, name, parent: "session", startMs, endMs, attributes, ...rest });

export const agentTurn = (id: string, startMs: number, attributes: Record<string, unknown>) =>
  span("agent_turn", id, startMs, startMs + 500, { "lk.speech_id": `speech ${id}`, ...attributes });

export const userTurn = (id: string, startMs: number, endMs: number, text: string) =>
  span("user_turn", id, startMs, endMs, { "lk.pii.user_transcript": text, "lk.transcript_confidence": 0.8 });

export const speaking = (id: string, parent: string, startMs: number, endMs = startMs + 100) =>
  span("agent_speaking", id, startMs, endMs, {}, { parent });

export const tool = (id: string, parent: string, startMs: number, attributes: Record<string, unknown>) =>
  span("function_tool", id, startMs, startMs + 5, { "lk.function_tool.name": "book", ...attributes }, { parent });

export const chat = (id: string, parent: string, startMs: number, messages: unknown[]) =>
  span("llm_node", id, startMs, startMs + 50, { "lk.pii.chat_ctx": JSON.stringify({ items: messages }) }, { parent });

export const message = (text: string, startedMs?: number, interrupted = false) => ({
  type: "message",
  role: "assistant",
  content: [text],
  interrupted,
  ...(startedMs !== undefined && {
    metrics: { started_speaking_at: Number(EPOCH_NS / 1_000_000n) / 1000 + startedMs / 1000 },
  }),
});

export const turnTexts = (...spans: StoredSpan[]) =>
  conversationOf(spans).turns.map((turn) => `${turn.role}: ${turn.text}`);
export const callOf = (...spans: StoredSpan[]) => conversationOf(spans).toolCalls[0]!;
