import type { EvidenceToolCall } from "../evidence.ts";
import type { WantedArguments } from "./check.ts";
import { reportOf } from "./reported-success.ts";
import { matchesArguments } from "./wanted-arguments.ts";

const FAILED = /^(?:failed|failure|error|declined|denied|rejected|refused|timeout|timed_out|unavailable)$/i;

/**
 * Returns whether a call succeeded; null when its result speaks of a failure that its outcome does not, or when neither an
 * outcome nor a result is known.
 */
export function succeeded({ outcome, result }: EvidenceToolCall): boolean | null {
  if (outcome === "error") return false;
  if (outcome === null && (result === null || result === undefined)) return null;
  return reportsFailure(result) ? null : true;
}

/**
 * Returns whether a call did what another one depends on. A result such as `verified: false` is no success: null. `when` is
 * the author's condition on the result, which then decides alone.
 */
export function confirmed(call: EvidenceToolCall, when: WantedArguments | null = null): boolean | null {
  const success = succeeded(call);
  if (when !== null) return success === false ? false : matchesArguments(when, parsedResult(call.result));
  if (success !== true) return success;
  return reportOf(call.name, call.result) === "success" ? true : null;
}

function reportsFailure(result: unknown): boolean {
  const { error, errors, success, ok, status } = membersOf(result);
  const hasErrors = Array.isArray(errors) ? errors.length > 0 : Boolean(errors);
  return Boolean(error) || hasErrors || success === false || ok === false || FAILED.test(textOf(status));
}

function membersOf(result: unknown): Record<string, unknown> {
  if (typeof result === "string" && /^\s*(?:error|failed|failure)\b/i.test(result)) return { error: result };
  const parsed = parsedResult(result);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : {};
}

/** Returns the JSON of a result that is text; any other result stays. */
function parsedResult(result: unknown): unknown {
  if (typeof result !== "string" || result.length > 20_000) return result;
  try {
    return JSON.parse(result) as unknown;
  } catch {
    return result;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
