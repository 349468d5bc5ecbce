import type { Verdict } from "@svc/contract";
import { type Decision, inconclusive, type Proof } from "../decision.ts";
import type { CheckedQuote } from "./quotes.ts";

export type Vote = {
  verdict: Exclude<Verdict, "not_graded">;
  requirement: string | null;
  evidence: CheckedQuote[];
  reason: string; // reasoning of the judge, or the reason why the vote has no verdict
  confidence: number | null;
  model: string | null;
  promptVersion: string;
  /** The number of the vote decides the wording and the order of the behaviors. */
  wording: number;
  /** Items about this behavior as the judge sent them. For a reply without an item about this behavior, the whole reply. */
  replies: unknown[];
};

/** Largest number of votes on a behavior. A pass and a fail need the same number of votes. */
export const VOTES_MAX = 3;
export const VOTES_NEEDED = 2;

export const winnerOf = (votes: readonly Vote[]): Vote | undefined =>
  votes.find(({ verdict }) => votesFor(votes, verdict).length >= VOTES_NEEDED);

const votesFor = (votes: readonly Vote[], verdict: Verdict) => votes.filter((vote) => vote.verdict === verdict);

export function majorityOf(votes: readonly Vote[]): Decision & { confidence: number | null } {
  const winner = winnerOf(votes);
  if (winner === undefined)
    return {
      ...inconclusive(`The judge's votes differ: ${votes.map(({ verdict }) => verdict).join(", ")}.`),
      confidence: null,
    };
  const { verdict, reason, evidence } = winner;
  const confidences = votesFor(votes, verdict).map(({ confidence }) => confidence);
  return {
    verdict,
    reason,
    evidence: evidence.flatMap(({ quote, speaker, foundIn }): Proof[] =>
      foundIn === null ? [] : [{ turn: foundIn, speaker, quote }],
    ),
    confidence: confidences.includes(null) ? null : Math.min(...(confidences as number[])),
  };
}
