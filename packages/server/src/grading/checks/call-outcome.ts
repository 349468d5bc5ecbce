import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import type { WantedArguments } from "./check.ts";
import { reportOf } from "./reported-success.ts";
import { matchesArguments } from "./wanted-arguments.ts";

const FAILED = /^(?:failed|failure|error|declined|denied|rejected|refused|timeout|timed_out|unavailable)$/i;

type Conditions = Pick<Evidence, "succeedsWhen">;

const conditionOf = ({ name }: EvidenceToolCall, { succeedsWhen }: Conditions): WantedArguments | undefined =>
  name === null ? undefined : succeedsWhen?.get(name);

/**
 * Returns whether a tool call succeeded. Without a success condition, returns null if the result reports a failure although the call ended
 * without an error, or if both are unknown.
 */
export function succeeded(call: EvidenceToolCall, evidence: Conditions): boolean | null {
  const when = conditionOf(call, evidence);
  return when === undefined ? ranWell(call) : meets(call, when);
}

export function succeededUnrefused(call: EvidenceToolCall, evidence: Conditions): boolean | null {
  const success = succeeded(call, evidence);
  const isDoubted = success === true && conditionOf(call, evidence) === undefined;
  return isDoubted && reportOf(call.name, call.result) === "refusal" ? null : success;
}

const meets = (call: EvidenceToolCall, when: WantedArguments): boolean | null =>
  ranWell(call) === false ? false : matchesArguments(when, parsedResult(call.result));

function ranWell({ outcome, result }: EvidenceToolCall): boolean | null {
  if (outcome === "error") return false;
  if (outcome === null && (result === null || result === undefined)) return null;
  return reportsFailure(result) ? null : true;
}

/**
 * Returns whether a call succeeded in a way that permits a later call. Returns null for a result that reports no success, such as
 * `verified: false`.
 */
export function confirmed(
  call: EvidenceToolCall,
  evidence: Conditions,
  when = conditionOf(call, evidence),
): boolean | null {
  if (when !== undefined) return meets(call, when);
  const success = ranWell(call);
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

function parsedResult(result: unknown): unknown {
  if (typeof result !== "string" || result.length > 20_000) return result;
  try {
    return JSON.parse(result) as unknown;
  } catch {
    return result;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
