import type { z } from "zod";

/** Returns in plain words what is wrong with a value; undefined when the schema has no need of other words than its own. */
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "too_small":
      return `At least ${amountOf(issue.origin, issue.minimum)}.`;
    case "too_big":
      return `At most ${amountOf(issue.origin, issue.maximum)}.`;
    case "invalid_value":
      return `One of ${issue.values.join(", ")}.`;
    case "invalid_type":
      return issue.input === undefined ? "This is missing." : `Expected ${TYPES[issue.expected] ?? issue.expected}.`;
    case "unrecognized_keys":
      return `There is no ${issue.keys.map((key) => `"${key}"`).join(" and no ")} here.`;
    default:
      return undefined;
  }
}

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const COUNTED: Record<string, string> = { string: "character", array: "item" };

function amountOf(origin: string, bound: number | bigint): string {
  const unit = COUNTED[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${bound === 1 ? "" : "s"}`;
}
