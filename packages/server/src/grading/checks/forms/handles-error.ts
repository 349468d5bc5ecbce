import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import { handlingOf, worstOf } from "../../failed-tool-calls.ts";
import { succeeded } from "../call-outcome.ts";
import type { Check } from "../check.ts";
import { takeTool } from "../grammar/tool.ts";
import { toolDoubt } from "../missing-evidence.ts";
import { isTool } from "../tool-names.ts";
import type { Form } from "./form.ts";

type HandlesError = Check & { form: "handles_error" };

const OPENING = /^handles?\s+(?:an?\s+|the\s+|any\s+)?(?:errors?|failures?)\s+(?:of|from|in)\s+/i;

export const handlesError: Form<HandlesError> = {
  name: "handles_error",
  title: "handles a failing tool",
  examples: ["handles error of search_flights", "handles an error of `pay`"],
  reads:
    "the failed calls of the tool, its later calls, and the agent's words in the turn of the call and the next turn",
  unsure: "no call failed, or the agent neither clearly admits the failure nor clearly claims success",
  judgeCanTell: true,
  nearly: /^(?:handles?|recovers?|retr(?:y|ies)|apologi[sz]es?)\b[^]*(?:error|fail|time|wrong)/i,
  read({ never, text }) {
    const opening = OPENING.exec(text);
    if (never || opening === null) return undefined;
    const taken = takeTool(text.slice(opening[0].length), true);
    return taken?.rest === "" ? { form: "handles_error", tool: taken.tool } : undefined;
  },
  echo: ({ tool }) =>
    `After a failed call of \`${tool}\`, the agent calls it again with success or admits the failure.`,
  successOf: ({ tool }) => [tool],
  decide: decideHandlesError,
};

function decideHandlesError({ tool }: HandlesError, evidence: Evidence): Decision {
  const calls = [...evidence.toolCalls.entries()].filter(([, call]) => isTool(tool, call, evidence) === true);
  const failures = calls.filter(([, call]) => succeeded(call, evidence) === false);
  if (failures.length === 0) {
    const open = calls.some(([, call]) => call.outcome === null || succeeded(call, evidence) === null);
    const doubt = open ? "It is not known whether a call failed." : null;
    return inconclusive(
      `No failed call of ${tool} is known. ${toolDoubt(evidence) ?? doubt ?? "The behavior was not put to the test."}`,
    );
  }
  const decisions = failures.map(([at]) => handlingOf(at, evidence));
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
