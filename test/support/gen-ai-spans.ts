import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { storedSpan } from "./stored-span.ts";

export type Attributes = Record<string, unknown>;
export type SpanOptions = Partial<Parameters<typeof storedSpan>[0]>;

/** Returns a span of a model request or an agent, with the attribute names of OpenTelemetry's GenAI conventions. */
export const genAiSpan = (
  id: string,
  startMs: number,
  operation: string,
  attributes: Attributes = {},
  options: SpanOptions = {},
): StoredSpan =>
  storedSpan({
    id,
    parent: "turn",
    startMs,
    endMs: startMs + 100,
    scopeName: "my-app",
    attributes: { "gen_ai.operation.name": operation, ...attributes },
    ...options,
  });

export const says = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
export const userSays = (content: string) => says("user", content);
export const agentSays = (content: string) => says("assistant", content);
