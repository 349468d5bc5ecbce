import type { Verdict } from "@svc/contract";
import { type Decision, inconclusive, type Proof } from "../decision.ts";
import type { CheckedQuote } from "./quotes.ts";
import type { Section } from "./prompt.ts";

/** One judgement of one behavior, kept with all that was answered. */
export type Vote = {
  verdict: Exclude<Verdict, "not_graded">;
  requirement: string | null;
  evidence: CheckedQuote[];
  reason: string; // the judge's reasoning, or why there is no verdict
  confidence: number | null;
  order: readonly Section[];
  replies: string[]; // as they were received
};

const CONFIDENT_FROM = 0.7;
const MAJORITY = 2;

/** A pass that is sure and shown stands alone; anything else is asked for twice more. */
export const isDoubtful = ({ verdict, confidence, evidence }: Vote): boolean =>
  verdict !== "errored" &&
  (verdict !== "passed" || (confidence ?? 0) < CONFIDENT_FROM || !evidence.some(({ foundIn }) => foundIn !== null));

/** The verdict of most votes, with the words of the first that gave it; without a majority there is none. */
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
