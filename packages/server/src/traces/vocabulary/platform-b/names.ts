import type { StoredSpan } from "../../stored-span.ts";

/**
 * The generations of LiveKit Agents' names, by what is seen and not by version: G0 calls a turn `assistant_turn`; G1 has
 * content as `lk.user_input` …; G2 the same as `lk.pii.user_input` …; G3 sets the GenAI operation on turns and tools.
 */
type Generation = "G0" | "G1" | "G2" | "G3";

const CONTENT = new Set(
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

const WITH_OPERATION = new Set(["agent_session", "start_agent_activity", "agent_turn", "function_tool"]);

export const isAgentTurn = (span: StoredSpan): boolean => span.name === "agent_turn" || span.name === "assistant_turn";

/** What people said and wrote: `lk.<name>`, and `lk.pii.<name>` since G2. */
export const said = (span: StoredSpan, name: string): unknown =>
  span.attributes[`lk.pii.${name}`] ?? span.attributes[`lk.${name}`];

/** From the end of the user's speech to the decision that the turn has ended; the second name is of G0. */
export const endOfTurnDelay = ({ attributes }: StoredSpan): unknown =>
  attributes["lk.end_of_turn_delay"] ?? attributes["lk.end_of_utterance_delay"];

/** Null when the content is withheld and nothing else tells. */
export function generationOf(spans: readonly StoredSpan[]): Generation | null {
  const seen = new Set(spans.map(generationOfSpan));
  return (["G0", "G3", "G2", "G1"] as const).find((generation) => seen.has(generation)) ?? null;
}

function generationOfSpan(span: StoredSpan): Generation | null {
  if (span.name === "assistant_turn") return "G0";
  if (WITH_OPERATION.has(span.name) && "gen_ai.operation.name" in span.attributes) return "G3";
  const keys = Object.keys(span.attributes);
  if (keys.some((key) => key.startsWith("lk.pii."))) return "G2";
  return keys.some((key) => CONTENT.has(key)) ? "G1" : null;
}
