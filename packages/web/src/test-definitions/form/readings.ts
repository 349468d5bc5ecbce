import type { BehaviorReading } from "../queries.ts";

/** Who decides a behavior: code, a judge, nobody because no judge is configured, or nobody because the sentence is invalid. */
type Decider = "code" | "judge" | "missingJudge" | "unreadable";

export function deciderOf(reading: BehaviorReading): Decider {
  if (reading.decided_by === "check") return "code";
  if (reading.problem !== null) return "unreadable";
  return reading.decided_by === "judge" ? "judge" : "missingJudge";
}

export function countsOf(readings: readonly (BehaviorReading | undefined)[]): string {
  const deciders = readings.flatMap((reading) => (reading === undefined ? [] : [deciderOf(reading)]));
  const count = (...kinds: Decider[]) => deciders.filter((decider) => kinds.includes(decider)).length;
  const [code, judge, broken] = [count("code"), count("judge", "missingJudge"), count("unreadable")];
  return [
    code > 0 && `${code} decided by code`,
    judge > 0 && `${judge} by a judge`,
    broken > 0 && `${broken} to correct`,
  ]
    .filter(Boolean)
    .join(", ");
}
