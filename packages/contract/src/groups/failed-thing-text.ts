import { MEASURES } from "../traces/measures.ts";
import { TOOL_ERRORS } from "./group-words.ts";
import type { FailedThing } from "./groups.ts";

/** Describes what failed, in words. */
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
