import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** What a member must be, by the name that its type has in a schema. */
const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  nonoptional: "a value",
};

const FORMATS: Record<string, string> = {
  email: "an e-mail address, such as ada@example.com",
  url: "an address, such as https://example.com",
  date: "a date, such as 2026-06-09",
  datetime: "a time with a zone, such as 2026-06-09T12:00:00Z",
  base64: "base64",
  base64url: "base64url",
};

/** Items of these are counted in words. */
const COUNTED: Record<string, string> = { string: "character", array: "item", set: "item", map: "member" };

/**
 * Returns the text of an issue for which the schema has no text of its own. It says what to send. Pass it to `safeParse` as `error`.
 */
export function issueText(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `This is missing. Send ${kindOf(issue.expected)}.`
        : `Send ${kindOf(issue.expected)}.`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "This is empty. Send a text."
        : `Send at least ${amountOf(issue.origin, issue.minimum)}.`;
    case "too_big":
      return `Send at most ${amountOf(issue.origin, issue.maximum)}.`;
    case "not_multiple_of":
      return `Send a multiple of ${issue.divisor}.`;
    case "invalid_value":
      return issue.values.length === 1
        ? `Send ${String(issue.values[0])}.`
        : `Choose one of ${issue.values.map(String).join(", ")}.`;
    case "invalid_format":
      return formatText(issue);
    case "unrecognized_keys":
      return `There is no member ${issue.keys.map((key) => `"${key}"`).join(", ")} here. Remove it.`;
    case "invalid_union":
      return unionText(issue);
    case "invalid_key":
    case "invalid_element":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

const kindOf = (expected: string): string => KINDS[expected] ?? expected;

function amountOf(origin: string, bound: number | bigint): string {
  const unit = COUNTED[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${bound === 1 ? "" : "s"}`;
}

function formatText({ format, pattern }: Extract<Issue, { code: "invalid_format" }>): string {
  if (FORMATS[format] !== undefined) return `Send ${FORMATS[format]}.`;
  return pattern === undefined ? "Send a text of the documented form." : `Send a text that matches ${pattern}.`;
}

/** An object is told from others by one member; of other choices the nearest one explains best. */
function unionText(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const { errors, discriminator, options = [] } = issue as z.core.$ZodIssueInvalidUnion & { options?: unknown[] };
  if (discriminator !== undefined && options.length > 0) return `Choose one of ${options.map(String).join(", ")}.`;
  const [nearest] = errors.toSorted((a, b) => a.length - b.length).flat();
  return nearest?.message ?? "Send one of the documented forms.";
}
