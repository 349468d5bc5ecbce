import type { Schedule } from "@svc/contract";
import type { VerdictName } from "../ui/chip.tsx";

type Outcome = Schedule["lastRuns"][number]["outcome"];

/** Returns the verdict whose colour and symbol an outcome has; null while the run is under way. */
export const verdictOf = (outcome: Outcome): VerdictName | null => (outcome === "undecided" ? "inconclusive" : outcome);

export function outcomeWords(outcome: Outcome): string {
  if (outcome === null) return "Under way";
  return { passed: "Passed", failed: "Failed", undecided: "Undecided" }[outcome];
}

/** Example: `Mon, 30 Nov 2026, 06:00`. */
export const timeInZone = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(at));

export function playsWords({ suiteId, suiteName, tags, testIds }: Schedule): string {
  const suite = suiteId === null ? [] : [suiteName ?? "a deleted suite"];
  const tagged = tags.length === 0 ? [] : [`tests with the tag ${tags.join(" or ")}`];
  const tests = testIds.length === 0 ? [] : [testIds.length === 1 ? "1 test" : `${testIds.length} tests`];
  return [...suite, ...tagged, ...tests].join(", ");
}
