import { type Decision, failed, inconclusive, passed } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { dealtWith, worstOf } from "../tool-trouble.ts";
import { unseenTools } from "./absent.ts";
import type { Check } from "./check.ts";

/** Of several failures each must be dealt with; a tool that never failed puts nothing to the test. */
export function handlesError({ tool }: Check & { form: "handles_error" }, evidence: Evidence): Decision {
  const calls = evidence.toolCalls.map((call, place) => ({ call, place })).filter(({ call }) => call.name === tool);
  const failures = calls.filter(({ call }) => call.outcome === "error");
  if (failures.length === 0) {
    const unknown = calls.some(({ call }) => call.outcome === null) ? "Whether a call failed is not known." : null;
    return inconclusive(
      `No failed call of ${tool} is known. ${unseenTools(evidence) ?? unknown ?? "The behavior was not put to the test."}`,
    );
  }
  const decisions = failures.map(({ place }) => dealtWith(place, evidence));
  const worst = worstOf(decisions);
  if (worst?.verdict === "failed") return failed(worst.reason, worst.evidence);
  return (
    worst ??
    passed(
      decisions[0]!.reason,
      decisions.flatMap((decision) => decision.evidence),
    )
  );
}
