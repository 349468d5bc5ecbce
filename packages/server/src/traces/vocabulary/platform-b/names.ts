import type { StoredSpan } from "../../stored-span.ts";

/**
 * Generation of LiveKit Agents' names. It depends on the names in the spans, not on the version. G0 names a turn `assistant_turn`. G1
 * sends content as `lk.user_input` and similar keys, G2 as `lk.pii.user_input`. G3 sets the GenAI operation on turns and tools.
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

export const AGENT_TURNS = ["agent_turn", "assistant_turn"];

export const isAgentTurn = (span: StoredSpan): boolean => AGENT_TURNS.includes(span.name);

/** Returns the content in `lk.pii.<name>` (since G2) or `lk.<name>`. */
export const contentAttribute = (span: StoredSpan, name: string): unknown =>
  span.attributes[`lk.pii.${name}`] ?? span.attributes[`lk.${name}`];

/** Returns the unparsed delay from the end of the user's speech to the decision that the turn is over. G0 uses the second key. */
export const endOfTurnDelay = ({ attributes }: StoredSpan): unknown =>
  attributes["lk.end_of_turn_delay"] ?? attributes["lk.end_of_utterance_delay"];

/** Returns null when no name shows the generation, for example because the content is withheld. */
export function generationOf(spans: readonly StoredSpan[]): Generation | null {
  let newest: "G3" | "G2" | "G1" | null = null;
  for (const { name, attributes } of spans) {
    if (name === "assistant_turn") return "G0";
    if (newest === "G3") continue;
    if (SPANS_WITH_OPERATION.has(name) && "gen_ai.operation.name" in attributes) newest = "G3";
    if (newest === "G3" || newest === "G2") continue;
    for (const key in attributes) {
      if (key.startsWith("lk.pii.")) newest = "G2";
      else if (newest === null && CONTENT_KEYS.has(key)) newest = "G1";
    }
  }
  return newest;
}
