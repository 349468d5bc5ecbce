import type { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";

type Issue = z.core.$ZodRawIssue;

/** Words for the type that a value must have, by zod's name of this type. */
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

/** Words for what a minimum or a maximum counts, by zod's name of the value's type. For any other type, the text has no unit. */
const COUNTED: Record<string, string> = { string: "character", array: "item", set: "item", map: "member" };

/**
 * Returns the message of a zod issue for which the schema defines no message. The message says which value is right. Pass this function to
 * `safeParse` as `error`.
 */
export function issueText(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "This is missing."
        : `This must be ${KINDS[issue.expected] ?? issue.expected}.`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "This is empty."
        : `At least ${amountOf(issue.origin, issue.minimum)}.`;
    case "too_big":
      return `At most ${amountOf(issue.origin, issue.maximum)}.`;
    case "not_multiple_of":
      return `This must be a multiple of ${issue.divisor}.`;
    case "invalid_value":
      return issue.values.length === 1
        ? `This must be ${String(issue.values[0])}.`
        : `One of ${issue.values.map(String).join(", ")}.`;
    case "invalid_format":
      return formatText(issue);
    case "unrecognized_keys":
      return `There is no ${issue.keys.map((key) => `"${key}"`).join(" and no ")} here.${unknownAdvice(issue)}`;
    case "invalid_union":
      return unionText(issue);
    case "invalid_key":
    case "invalid_element":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

/** Returns advice about unknown members: to use the known member with the most similar name or, without a similar name, to remove them. */
function unknownAdvice({ keys, inst, input }: Extract<Issue, { code: "unrecognized_keys" }>): string {
  const { shape = {} } = (inst ?? {}) as Partial<z.ZodObject>;
  const known = Object.keys(shape).filter((name) => !Object.hasOwn(input as object, name));
  return (keys.length === 1 && didYouMean(keys[0]!, known)) || " Remove it.";
}

function amountOf(origin: string, bound: number | bigint): string {
  const unit = COUNTED[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${bound === 1 ? "" : "s"}`;
}

function formatText({ format, pattern }: Extract<Issue, { code: "invalid_format" }>): string {
  if (FORMATS[format] !== undefined) return `This must be ${FORMATS[format]}.`;
  return pattern === undefined ? "This must have the documented form." : `This must match ${pattern}.`;
}

/**
 * Returns the message for a value that matches no option of a union. Lists the allowed values of the discriminator when the value has none
 * of them. Otherwise describes the option with the fewest issues.
 */
function unionText(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const { errors, discriminator, options = [] } = issue as z.core.$ZodIssueInvalidUnion & { options?: unknown[] };
  if (discriminator !== undefined && options.length > 0) return `One of ${options.map(String).join(", ")}.`;
  const [nearest] = errors.toSorted((a, b) => a.length - b.length).flat();
  return nearest?.message ?? "This must have one of the documented forms.";
}
