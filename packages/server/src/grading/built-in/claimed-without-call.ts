import { type Decision, failed, inconclusive, notGraded, passed, type Proof } from "../decision.ts";
import { excerpt } from "../bounds.ts";
import { succeeded } from "../checks/call-outcome.ts";
import { type Claim, claimsOf } from "../claims.ts";
import { type Evidence, type EvidenceToolCall, readText, TOOLS_UNSEEN } from "../evidence.ts";

const LOOKS_UP =
  /^(get|list|search|find|check|look|lookup|fetch|read|verify|query|retrieve|identify|validate|quote|count|is|has)(?![a-z])/;

/** `covering`: the tool calls that could have done the claimed action. */
type CheckedClaim = { claim: Claim; proof: Proof; covering: EvidenceToolCall[] };

export function claimedWithoutCall(evidence: Evidence): Decision {
  if (!evidence.toolsVisible) return notGraded(TOOLS_UNSEEN);
  const claims = claimsIn(evidence);
  if (claims.length === 0) return notGraded("The agent claimed no action in English.");
  const unproven = claims.find(({ covering }) => !covering.some((call) => succeeded(call, evidence) !== false));
  if (unproven === undefined)
    return passed(
      "A tool was called for each action that the agent claimed.",
      claims.map(({ proof }) => proof),
    );
  if (evidence.toolCalls.some(({ name }) => name === null))
    return inconclusive("The agent claimed an action, and the name of a tool call is not known.", [unproven.proof]);
  const why = unproven.covering.length > 0 ? "the tool for it failed" : "no tool that could do it was called";
  return failed(`The agent claimed an action, and ${why}.`, [unproven.proof]);
}

function claimsIn(evidence: Evidence): CheckedClaim[] {
  return evidence.turns.flatMap((turn, index) => {
    if (turn.speaker !== "agent") return [];
    return claimsOf(readText(turn) ?? "").map((claim) => ({
      claim,
      proof: { turn: index, quote: excerpt(claim.text) },
      covering: evidence.toolCalls.filter((call) => isBefore(call, index, turn.endMs) && covers(call, claim)),
    }));
  });
}

const isBefore = (call: EvidenceToolCall, index: number, endMs: number | null) =>
  call.turn === null ? endMs === null || call.startMs <= endMs : call.turn <= index;

/**
 * Returns whether a tool call could have done the claimed action. A tool with a general name, which names no other action, could have done
 * every action.
 */
function covers({ name }: EvidenceToolCall, { tools }: Claim): boolean {
  const words = (name ?? "")
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return tools.some((tool) => words.includes(tool))
    ? !LOOKS_UP.test(words)
    : !LOOKS_UP.test(words) && !DOES_OTHER.test(words);
}

const DOES_OTHER = /(^|_)(book|reserve|schedule|cancel|send|charge|refund|transfer|escalate|end|hang)(_|$)/;
