import type { GradeSummary, ListedSimulation, Verdict } from "@svc/contract";
import { hasNoJudge } from "./notices.ts";
import { evidenceLines, notPassed, verdictWords } from "./verdicts.ts";

/** Reason why simulations of a test did not pass, or a note about how they ended. */
type Finding = {
  verdict: Verdict | null;
  /** True for a message about an end that decided nothing, because behaviors did. Its verdict is null. */
  isNote: boolean;
  /** Criterion that did not pass, message of the simulation, or how the simulation ended. */
  text: string;
  /** Reason and evidence from the first of the simulations; empty when a notice of the run already contains the reason. */
  details: string[];
  simulationIds: string[];
};

const WORST_FIRST: (Verdict | null)[] = ["failed", "errored", "inconclusive", "not_graded", null];

/** Returns the reasons why simulations did not pass, failures first and notes last. Simulations with the same reason share one finding. */
export function findingsOf(simulations: readonly ListedSimulation[]): Finding[] {
  const findings = new Map<string, Finding>();
  const add = (
    simulation: ListedSimulation,
    verdict: Verdict | null,
    text: string,
    { grade, isNote = false }: { grade?: GradeSummary; isNote?: boolean } = {},
  ) => {
    const key = JSON.stringify([verdict, text, grade?.graderId, isNote]);
    const known = findings.get(key);
    if (known === undefined)
      findings.set(key, {
        verdict,
        isNote,
        text,
        details: grade ? detailsOf(grade) : [],
        simulationIds: [simulation.id],
      });
    else if (!known.simulationIds.includes(simulation.id)) known.simulationIds.push(simulation.id);
  };
  for (const simulation of simulations.filter(({ verdict }) => verdict !== "passed")) {
    const { verdict, message, endedBy, grades = [] } = simulation;
    const own = notPassed(grades);
    const isNote = message !== null && own.length > 0 && (endedBy === "caller" || endedBy === "limit");
    if (isNote) add(simulation, null, message, { isNote });
    else if (message !== null || own.length === 0) add(simulation, verdict, message ?? endingOf(simulation));
    for (const grade of own) add(simulation, grade.verdict, grade.criterion, { grade });
  }
  return [...findings.values()].sort(
    (a, b) => Number(a.isNote) - Number(b.isNote) || WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict),
  );
}

const detailsOf = (grade: GradeSummary): string[] => (hasNoJudge(grade) ? [] : [grade.reason, ...evidenceLines(grade)]);

const endingOf = ({ endingReason, status }: ListedSimulation) =>
  endingReason === null ? `the simulation is ${status}` : `it ended with ${endingReason}`;

export function findingWords({ verdict, isNote, simulationIds }: Finding, iterations: number): string {
  const words = isNote ? "note" : verdictWords(verdict);
  return iterations === 1 ? words : `${words} in ${simulationIds.length} of ${iterations}`;
}
