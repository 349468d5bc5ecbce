/** States of a failure group, with their meanings. */
export const GROUP_STATES = {
  open: "It is new, or it came back.",
  resolved: "A person says that it is mended. A later failure opens it again.",
  ignored: "A person does not care about it. It stays ignored, whatever fails.",
} as const;
/** State of a failure group. */
export type GroupState = keyof typeof GROUP_STATES;

/** Kinds of tool errors, each in words for people. Code derives the kind from the tool's answer. */
export const TOOL_ERRORS = {
  timeout: "timed out",
  not_found: "found nothing",
  not_permitted: "was not permitted",
  rate_limited: "had too many requests",
  unavailable: "was not available",
  invalid: "refused its arguments",
  declined: "declined",
  other: "failed",
} as const;
/** Kind of a tool error. */
export type ToolError = keyof typeof TOOL_ERRORS;
