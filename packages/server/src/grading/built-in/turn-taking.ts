import type { MeasureName } from "@svc/contract";
import { failed, notGraded, passed } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import type { BuiltInDecision } from "./built-in.ts";

const PASSES_FROM = 0.7;

/** Each part is the share of its samples that are well. */
const PARTS: readonly { measure: MeasureName; label: string; isWell: (value: number) => boolean }[] = [
  { measure: "agent_interruptions", label: "turns in which the caller could finish", isWell: (times) => times === 0 },
  {
    measure: "response_latency",
    label: "answers within 2 s and not too early",
    isWell: (ms) => ms >= -200 && ms <= 2_000,
  },
  { measure: "yield_latency", label: "interruptions yielded to within 1 s", isWell: (ms) => ms <= 1_000 },
];

/** The mean of the parts that are known: how often the caller could finish, was answered in time, was yielded to. */
export function turnTaking({ measures }: Evidence): BuiltInDecision {
  const known = PARTS.flatMap(({ measure, label, isWell }) => {
    const { samples } = measures[measure];
    if (samples.length === 0) return [];
    const well = samples.filter(({ value }) => isWell(value)).length;
    return { share: well / samples.length, told: `${well} of ${samples.length} ${label}` };
  });
  if (known.length === 0) return notGraded("No times of speech are known.");
  const score = known.reduce((sum, { share }) => sum + share, 0) / known.length;
  const reason = `Score ${score.toFixed(2)}: ${known.map(({ told }) => told).join("; ")}.`;
  return { ...(score >= PASSES_FROM ? passed : failed)(reason), score };
}
