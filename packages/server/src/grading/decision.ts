import type { Verdict } from "@svc/contract";

/** Evidence for a verdict: a turn with an exact quote or a time, or a tool call. Turns and tool calls are numbered from 0. */
export type Proof =
  | { turn: number; quote: string | null; speaker?: "agent" | "caller" | "tool"; at?: string }
  | { toolCall: number };

export type Decision<V extends Verdict = Verdict> = { verdict: V; evidence: Proof[]; reason: string };

/** A decision with a score from 0 to 1. Higher is better. */
export type ScoredDecision = Decision & { score?: number };

const PROOFS_MAX = 10;

const decision =
  <V extends Verdict>(verdict: V) =>
  (reason: string, evidence: readonly Proof[] = []): Decision<V> => ({
    verdict,
    evidence: evidence.slice(0, PROOFS_MAX),
    reason,
  });

export const passed = decision("passed");
export const failed = decision("failed");
export const inconclusive = decision("inconclusive");
export const notGraded = decision("not_graded");

export const isDecided = (verdict: Verdict): boolean => verdict === "passed" || verdict === "failed";
