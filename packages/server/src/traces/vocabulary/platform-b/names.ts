import type { StoredSpan } from "../../stored-span.ts";

/**
 * A generation of LiveKit Agents' names, decided by the names and not by the version: G0 names a turn `assistant_turn`,
 * G1 sends content as `lk.user_input` …, G2 as `lk.pii.user_input` …, G3 sets the GenAI operation on turns and tools.
 */
type Generation = "G0" | "G1" | "G2" | "G3";

const CONTENT_KEYS = new Set(
  [
    "user_input",
    "user_transcript",
    "instructions",
    "chat_ctx",
    "response.text",
    "response.function_calls",
    "function_tool.arguments",
    "function_tool.output",
    "input_text",
    "amd.transcript",
  ].map((name) => `lk.${name}`),
);

const SPANS_WITH_OPERATION = new Set(["agent_session", "start_agent_activity", "agent_turn", "function_tool"]);

export const isAgentTurn = (span: StoredSpan): boolean => span.name === "agent_turn" || span.name === "assistant_turn";

/** Returns the content in `lk.pii.<name>` (since G2) or `lk.<name>`. */
export const contentAttribute = (span: StoredSpan, name: string): unknown =>
  span.attributes[`lk.pii.${name}`] ?? span.attributes[`lk.${name}`];

/** Returns the time from the end of the user's speech to the decision that the turn has ended; G0 has the second key. */
export const endOfTurnDelay = ({ attributes }: StoredSpan): unknown =>
  attributes["lk.end_of_turn_delay"] ?? attributes["lk.end_of_utterance_delay"];

/** Returns the generation that the spans show; null if the content is withheld and no other name shows it. */
export function generationOf(spans: readonly StoredSpan[]): Generation | null {
  const seen = new Set(spans.map(generationOfSpan));
  return (["G0", "G3", "G2", "G1"] as const).find((generation) => seen.has(generation)) ?? null;
}

function generationOfSpan(span: StoredSpan): Generation | null {
  if (span.name === "assistant_turn") return "G0";
  if (SPANS_WITH_OPERATION.has(span.name) && "gen_ai.operation.name" in span.attributes) return "G3";
  const keys = Object.keys(span.attributes);
  if (keys.some((key) => key.startsWith("lk.pii."))) return "G2";
  return keys.some((key) => CONTENT_KEYS.has(key)) ? "G1" : null;
}
