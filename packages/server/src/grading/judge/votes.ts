import type { Verdict } from "@svc/contract";
import { type Decision, inconclusive, type Proof } from "../decision.ts";
import type { CheckedQuote } from "./quotes.ts";

/** One judgement of one behavior. */
export type Vote = {
  verdict: Exclude<Verdict, "not_graded">;
  requirement: string | null;
  evidence: CheckedQuote[];
  reason: string; // the judge's reasoning, or why there is no verdict
  confidence: number | null;
  /** The served model's name; null when no answer came. */
  model: string | null;
  promptVersion: string;
  /** Number of the vote, which fixes its wording and the order of the behaviors. */
  wording: number;
  /** The judge's unedited items about this behavior, or its whole reply when it has none. */
  replies: unknown[];
};

/** The largest number of votes on a behavior, and the number of equal votes that decide it, whether it passes or fails. */
export const VOTES_MAX = 3;
export const VOTES_NEEDED = 2;

/** Returns a vote whose verdict has enough votes to stand, whatever further votes say. */
export const winnerOf = (votes: readonly Vote[]): Vote | undefined =>
  votes.find(({ verdict }) => votesFor(votes, verdict).length >= VOTES_NEEDED);

const votesFor = (votes: readonly Vote[], verdict: Verdict) => votes.filter((vote) => vote.verdict === verdict);

/** Returns the verdict of the majority with the reason of its first vote; inconclusive without a majority. */
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
