import { issueText, LIMITS } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../base/errors.ts";
import { type Issue, refusalOf } from "./refusal.ts";

/** Issue codes of values that have the right type. They make a body unprocessable (422), not malformed (400). */
const VALUE_ISSUES = new Set(["too_small", "too_big", "invalid_format", "invalid_value", "custom"]);

/**
 * Returns whether a value has the right type but breaks a rule. Zod reports `invalid_value` also when the value of a choice is missing or
 * not a string; the type is wrong then.
 */
const isValueIssue = ({ code, input }: z.core.$ZodIssue) =>
  VALUE_ISSUES.has(code) && (code !== "invalid_value" || typeof input === "string");

export function validateQuery<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { error: issueText });
  if (!result.success) throw refusalOf("invalid_request", issuesOf(result.error));
  refuseReversedPeriod(result.data as { from?: string; to?: string });
  return result.data;
}

function refuseReversedPeriod({ from, to }: { from?: string; to?: string }): void {
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return;
  throw reversedPeriod("`from` must not be after `to`.");
}

export const reversedPeriod = (message: string) =>
  new AppError("invalid_request", `Change the request and send it again. ${message}`, {
    issues: [{ path: "from", message }],
  });

/** Throws 400 when a value has the wrong type, and 422 when all types are right but a value breaks a rule. */
export function validateBody<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { error: issueText, reportInput: true });
  if (result.success) return result.data;
  const malformed = !result.error.issues.every(isValueIssue);
  throw refusalOf(malformed ? "invalid_request" : "unprocessable", issuesOf(result.error));
}

export const issuesOf = ({ issues }: z.ZodError, at?: string): Issue[] =>
  issues
    .slice(0, LIMITS.issuesShown)
    .map(({ path, message }) => ({ path: (at === undefined ? path : [at, ...path]).join("."), message }));
