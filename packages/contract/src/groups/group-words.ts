import { MEASURES } from "../traces/measures.ts";
import type { FailedThing } from "./groups.ts";

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

/** Returns what failed, in words. */
export function failedThingText(what: FailedThing): string {
  switch (what.kind) {
    case "behavior":
      return `Behavior: ${what.behavior}`;
    case "grader":
      return `Grader: ${what.name}`;
    case "tool":
      return `Tool ${what.tool ?? "without a name"} ${TOOL_ERRORS[what.error]}`;
    case "measure":
      return `${MEASURES[what.measure].label} over its limit`;
    case "ending":
      return `Ended: ${what.ending.replaceAll("_", " ")}`;
    case "veto":
      return "A person decided against it";
  }
}
