import type { Verdict } from "@svc/contract";
import { type Decision, inconclusive, type Proof } from "../decision.ts";
import type { CheckedQuote } from "./quotes.ts";
import type { PromptSection } from "./prompt.ts";

/** One judgement of one behavior, with the model's replies. */
export type Vote = {
  verdict: Exclude<Verdict, "not_graded">;
  requirement: string | null;
  evidence: CheckedQuote[];
  reason: string; // the judge's reasoning, or why there is no verdict
  confidence: number | null;
  order: readonly PromptSection[];
  replies: string[]; // unchanged
};

const CONFIDENT_FROM = 0.7;
const MAJORITY = 2;

/** Returns whether a vote needs two more: only a confident pass with a quote that occurs, or an error, decides alone. */
export const isDoubtful = ({ verdict, confidence, evidence }: Vote): boolean =>
  verdict !== "errored" &&
  (verdict !== "passed" || (confidence ?? 0) < CONFIDENT_FROM || !evidence.some(({ foundIn }) => foundIn !== null));

/** Returns the verdict of the majority with the reason of its first vote; inconclusive without a majority. */
export function majorityOf(votes: readonly Vote[]): Decision {
  const [first] = votes as [Vote];
  if (votes.length === 1) return decisionOf(first);
  const winner = votes.find((vote) => votes.filter(({ verdict }) => verdict === vote.verdict).length >= MAJORITY);
  if (winner === undefined)
    return inconclusive(`The judge's votes differ: ${votes.map(({ verdict }) => verdict).join(", ")}.`);
  return decisionOf(winner);
}

const decisionOf = ({ verdict, reason, evidence }: Vote): Decision => ({
  verdict,
  reason,
  evidence: evidence.flatMap(({ quote, foundIn }): Proof[] => (foundIn === null ? [] : [{ turn: foundIn, quote }])),
});
