import type { EvidenceToolCall } from "../evidence.ts";

const FAILED = /^(?:failed|failure|error|declined|denied|rejected|refused|timeout|timed_out|unavailable)$/i;

/** Returns whether a call succeeded; null when its result speaks of a failure that its outcome does not. */
export function succeeded({ outcome, result }: EvidenceToolCall): boolean | null {
  if (outcome === "error") return false;
  return reportsFailure(result) ? null : true;
}

/** Returns the same for a call on which another one depends: a refused check, like `verified: false`, is no success. */
export function confirmed(call: EvidenceToolCall): boolean | null {
  const success = succeeded(call);
  return success === true && reportsRefusal(call.result) ? null : success;
}

function reportsFailure(result: unknown): boolean {
  const { error, errors, success, ok, status } = membersOf(result);
  const hasErrors = Array.isArray(errors) ? errors.length > 0 : Boolean(errors);
  return Boolean(error) || hasErrors || success === false || ok === false || FAILED.test(textOf(status));
}

const REFUSALS =
  "verified valid authorized authenticated approved confirmed allowed passed matched match eligible".split(" ");

const reportsRefusal = (result: unknown): boolean => {
  const members = membersOf(result);
  return result === false || REFUSALS.some((name) => members[name] === false);
};

function membersOf(result: unknown): Record<string, unknown> {
  if (typeof result === "object" && result !== null && !Array.isArray(result)) return result as Record<string, unknown>;
  if (typeof result !== "string" || result.length > 20_000) return {};
  if (/^\s*(?:error|failed|failure)\b/i.test(result)) return { error: result };
  try {
    const parsed: unknown = JSON.parse(result);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
