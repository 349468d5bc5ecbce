import { type Decision, failed, inconclusive, passed } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { handlingOf, worstOf } from "../failed-tool-calls.ts";
import { toolDoubt } from "./missing-evidence.ts";
import type { Check } from "./check.ts";

/** Decides whether the agent handled every failed call of a tool; inconclusive when no call is known to have failed. */
export function handlesError({ tool }: Check & { form: "handles_error" }, evidence: Evidence): Decision {
  const calls = evidence.toolCalls.map((call, index) => ({ call, index })).filter(({ call }) => call.name === tool);
  const failures = calls.filter(({ call }) => call.outcome === "error");
  if (failures.length === 0) {
    const doubt = calls.some(({ call }) => call.outcome === null) ? "It is not known whether a call failed." : null;
    return inconclusive(
      `No failed call of ${tool} is known. ${toolDoubt(evidence) ?? doubt ?? "The behavior was not put to the test."}`,
    );
  }
  const decisions = failures.map(({ index }) => handlingOf(index, evidence));
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
