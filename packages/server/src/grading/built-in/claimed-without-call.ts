import { type Decision, failed, inconclusive, notGraded, passed, type Proof } from "../decision.ts";
import { shown } from "../bounds.ts";
import { type Claim, claimsOf } from "../claims.ts";
import { type Evidence, type EvidenceToolCall, readText } from "../evidence.ts";

/** A tool that looks something up does nothing; any other one may be named as it likes. */
const LOOKS_UP =
  /^(get|list|search|find|check|look|lookup|fetch|read|verify|query|retrieve|identify|validate|quote|count|is|has)(?![a-z])/;

type Judged = { claim: Claim; proof: Proof; covering: EvidenceToolCall[] };

export function claimedWithoutCall(evidence: Evidence): Decision {
  if (!evidence.toolsVisible) return notGraded("The agent's tool calls cannot be seen.");
  const judged = claimsIn(evidence);
  if (judged.length === 0) return notGraded("The agent claimed no action, or none in English.");
  const bare = judged.find(({ covering }) => !covering.some(({ outcome }) => outcome !== "error"));
  if (bare === undefined)
    return passed(
      "A tool was called for each action that the agent claimed.",
      judged.map(({ proof }) => proof),
    );
  if (evidence.toolCalls.some(({ name }) => name === null))
    return inconclusive("The agent claimed an action; the name of a tool call is not known.", [bare.proof]);
  const why = bare.covering.length > 0 ? "the tool for it failed" : "no tool that could do it was called";
  return failed(`The agent claimed an action, and ${why}.`, [bare.proof]);
}

function claimsIn(evidence: Evidence): Judged[] {
  return evidence.turns.flatMap((turn, place) => {
    if (turn.speaker === "caller") return [];
    return claimsOf(readText(turn) ?? "").map((claim) => ({
      claim,
      proof: { turn: place, quote: shown(claim.text) },
      covering: evidence.toolCalls.filter((call) => isBefore(call, place, turn.endMs) && covers(call, claim)),
    }));
  });
}

const isBefore = (call: EvidenceToolCall, place: number, endMs: number | null) =>
  call.turn === null ? endMs === null || call.startMs <= endMs : call.turn <= place;

/** A tool that could have done it by its name, or by a name that tells nothing. */
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
