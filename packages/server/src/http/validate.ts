import type { z } from "zod";
import { AppError } from "../errors.ts";

/** Issues of a value that has the right form: they make a body unprocessable, not malformed. */
const OF_VALUE = new Set(["too_small", "too_big", "invalid_format", "invalid_value", "custom"]);

/** A choice that is missing or no text is reported as a wrong value too. */
const isOfValue = ({ code, input }: z.core.$ZodIssue) =>
  OF_VALUE.has(code) && (code !== "invalid_value" || typeof input === "string");

export function validateQuery<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { error: inWords });
  if (result.success) return result.data;
  throw refusal("invalid_request", result.error);
}

/** A body that does not fit the schema's form is 400; one that fits and breaks a bound or a rule is 422. */
export function validateBody<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { error: inWords, reportInput: true });
  if (result.success) return result.data;
  const malformed = !result.error.issues.every(isOfValue);
  throw refusal(malformed ? "invalid_request" : "unprocessable", result.error);
}

/** Says of a value what it may be, where the schema has no words of its own. */
export function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "too_small") return `At least ${amountOf(issue.origin, issue.minimum)}.`;
  if (issue.code === "too_big") return `At most ${amountOf(issue.origin, issue.maximum)}.`;
  if (issue.code === "invalid_value") return `One of ${issue.values.join(", ")}.`;
  return undefined;
}

const COUNTED: Record<string, string> = { string: "character", array: "item" };

function amountOf(origin: string, bound: number | bigint): string {
  const unit = COUNTED[origin];
  return unit === undefined ? `${bound}` : `${bound} ${unit}${bound === 1 ? "" : "s"}`;
}

function refusal(code: "invalid_request" | "unprocessable", error: z.ZodError): AppError {
  const issues = error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  const [first] = issues;
  const where = first?.path ? `\`${first.path}\`: ` : "";
  return new AppError(code, `Change the request and send it again. ${where}${first?.message}`, { issues });
}
