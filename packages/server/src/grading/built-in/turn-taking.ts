import type { MeasureName } from "@svc/contract";
import { heardOr } from "../call-sound.ts";
import { failed, notGraded, passed, type ScoredDecision } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { overlappedAnswers } from "../response-times.ts";

const PASSES_FROM = 0.7;

const PARTS: readonly {
  measure: MeasureName;
  heard?: MeasureName;
  label: string;
  isGood: (value: number) => boolean;
}[] = [
  { measure: "agent_interruptions", label: "turns in which the caller could finish", isGood: (times) => times === 0 },
  {
    measure: "response_latency",
    heard: "heard_response_latency",
    label: "answers within 2 s and not too early",
    isGood: (ms) => ms <= 2_000,
  },
  {
    measure: "yield_latency",
    heard: "heard_yield_latency",
    label: "interruptions yielded to within 1 s",
    isGood: (ms) => ms <= 1_000,
  },
];

export function turnTaking(evidence: Evidence): ScoredDecision {
  const parts = PARTS.flatMap(({ measure, heard = measure, label, isGood }) => {
    const { samples } = heardOr(evidence, measure, heard).measure;
    const early = measure === "response_latency" ? overlappedAnswers(evidence).length : 0;
    const count = samples.length + early;
    if (count === 0) return [];
    const good = samples.filter(({ value }) => isGood(value)).length;
    return { share: good / count, summary: `${good} of ${count} ${label}` };
  });
  if (parts.length === 0) return notGraded("The times of speech are not known.");
  const score = parts.reduce((sum, { share }) => sum + share, 0) / parts.length;
  const reason = `Score ${score.toFixed(2)}: ${parts.map(({ summary }) => summary).join("; ")}.`;
  return { ...(score >= PASSES_FROM ? passed : failed)(reason), score };
}
