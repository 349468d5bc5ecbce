/** Names of the graders that ship with the service. They need neither an API key nor an expected behavior. */
export const BUILT_IN_GRADERS = [
  "unanswered_turns",
  "missed_final_turn",
  "duplicate_tool_call",
  "unhandled_tool_error",
  "repeated_sentence",
  "claimed_without_tool_call",
  "response_latency",
  "turn_taking",
] as const;
