/** The states of a failure group, each with its meaning. */
export const GROUP_STATES = {
  open: "It is new, or it came back.",
  resolved: "A person says that it is mended. A later failure opens it again.",
  ignored: "A person does not care about it. It stays ignored, whatever fails.",
} as const;
/** A state of a failure group. */
export type GroupState = keyof typeof GROUP_STATES;

/** The kinds of errors that a tool's answer tells, as code reads it. */
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
/** A kind of error of a tool. */
export type ToolError = keyof typeof TOOL_ERRORS;
