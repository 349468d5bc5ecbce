import { type Decision, failed, inconclusive, passed, type Proof } from "../decision.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import { unlessDoubted, toolDoubt } from "./missing-evidence.ts";
import type { Check } from "./check.ts";

const AGENT_ENDED = "agent_ended";
const TRANSFERRED = "transferred";

export function endsCall({ never }: Check & { form: "ends_call" }, evidence: Evidence): Decision {
  const { ending, partial } = evidence;
  const decide = (holds: boolean) => (holds === never ? failed : passed);
  const tool = toolProofs(evidence, endsTheCall);
  if (tool.length > 0) return decide(true)("The agent called a tool that ends the call.", tool);
  if (ending?.by === "agent" && ending.reason === AGENT_ENDED) return decide(true)("The agent ended the call.");
  if (ending === null) return inconclusive("It is not known who ended the call.");
  return unlessDoubted(decide(false)(`The agent did not end the call: ${ending.reason}.`), partial);
}

export function transfers({ never }: Check & { form: "transfers" }, evidence: Evidence): Decision {
  const tool = toolProofs(evidence, transfersTheCall);
  if (evidence.ending?.reason === TRANSFERRED)
    return (never ? failed : passed)("The agent transferred the caller.", tool);
  if (tool.length > 0) return (never ? failed : passed)("The agent called a tool that transfers the call.", tool);
  const reason = "The agent called no tool that transfers the call, or none that succeeded.";
  return unlessDoubted((never ? passed : failed)(reason), toolDoubt(evidence));
}

/** Decides on the turns of both parties. */
export function finishesWithin({ turns: most }: Check & { form: "finishes_within" }, evidence: Evidence): Decision {
  const count = evidence.turns.length;
  const reason = `The conversation has ${count} ${count === 1 ? "turn" : "turns"}.`;
  if (count > most) return failed(reason);
  if (evidence.ending?.by === "limit") return failed(`The conversation did not finish: ${evidence.ending.reason}.`);
  return unlessDoubted(passed(reason), evidence.partial);
}

const toolProofs = ({ toolCalls }: Evidence, isMeant: (words: ReadonlySet<string>) => boolean): Proof[] =>
  toolCalls.flatMap((call, toolCall) => (call.outcome !== "error" && isMeant(nameWords(call)) ? { toolCall } : []));

/** Returns the words of a tool's name: `warmTransfer_toHuman` gives warm, transfer, to and human. */
const nameWords = ({ name }: EvidenceToolCall): ReadonlySet<string> =>
  new Set(
    (name ?? "")
      .slice(0, 200)
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^a-z0-9]+/),
  );

const anyOf = (words: ReadonlySet<string>, list: string) => list.split(" ").some((word) => words.has(word));

const endsTheCall = (words: ReadonlySet<string>) =>
  words.has("hangup") ||
  (words.has("hang") && words.has("up")) ||
  (anyOf(words, "end terminate finish") && anyOf(words, "call conversation session"));

/** Money is transferred too, so "transfer" with other words must also name a recipient or a kind of transfer. */
function transfersTheCall(words: ReadonlySet<string>): boolean {
  if (anyOf(words, "escalate handoff handover") || (words.has("hand") && anyOf(words, "off over"))) return true;
  if (!anyOf(words, "transfer forward connect")) return false;
  if (words.size === 1) return words.has("transfer");
  return anyOf(
    words,
    "call caller human agent person operator representative rep support specialist staff desk department queue sip warm cold blind manager nurse",
  );
}
