import type { RunEvent, Verdict } from "@svc/contract";
import { verdictWords } from "./verdicts.ts";

const BAR_COLUMNS = 24;

/** Counts the finished simulations of a run by its events. */
type Tally = {
  /** Counts one event; returns true when a simulation received its verdict or was canceled. */
  add(event: RunEvent): boolean;
  /** `██████░░░░ 6/10  5 passed, 1 failed  12 s` */
  bar(seconds: number): string;
};

export function createTally(simulationCount: number): Tally {
  const verdicts = new Map<string, Verdict | "canceled">();

  return {
    add(event) {
      if (event.kind === "grade") verdicts.set(event.simulationId, event.verdict);
      else if (event.kind === "simulation" && event.status === "canceled") verdicts.set(event.simulationId, "canceled");
      else return false;
      return true;
    },
    bar(seconds) {
      const done = Math.min(verdicts.size, simulationCount);
      const filled = simulationCount === 0 ? 0 : Math.floor((done / simulationCount) * BAR_COLUMNS);
      const counts = Map.groupBy(verdicts.values(), (verdict) => verdict);
      const words = [...counts].map(
        ([verdict, all]) => `${all.length} ${verdict === "canceled" ? verdict : verdictWords(verdict)}`,
      );
      const bar = "█".repeat(filled) + "░".repeat(BAR_COLUMNS - filled);
      return [
        `${bar} ${done}/${simulationCount}`,
        ...(words.length > 0 ? [words.join(", ")] : []),
        `${seconds} s`,
      ].join("  ");
    },
  };
}
