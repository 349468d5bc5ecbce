import type { Grade, RunBehavior, Verdict } from "@svc/contract";
import type { GradeOutcome } from "../grading/graders/store/grades.ts";
import type { SimulationSummaryRow } from "./rules.ts";

type VerdictField = "passed" | "failed" | "inconclusive" | "notGraded" | "errored";

/** Outcomes of one criterion of one test: their number by verdict, and the outcome that a reader should see first. */
export type BehaviorGroup = {
  simulation: SimulationSummaryRow;
  outcome: GradeOutcome;
  counts: Record<VerdictField, number>;
};

const FIELD: Record<Verdict, VerdictField> = {
  passed: "passed",
  failed: "failed",
  inconclusive: "inconclusive",
  not_graded: "notGraded",
  errored: "errored",
};
const WORTH_SEEING: Record<Verdict, number> = { failed: 4, errored: 3, inconclusive: 2, not_graded: 1, passed: 0 };

export function addOutcomes(
  groups: Map<string, BehaviorGroup>,
  simulations: readonly SimulationSummaryRow[],
  outcomes: readonly GradeOutcome[],
): void {
  const simulationOf = new Map(simulations.map((simulation) => [simulation.id, simulation]));
  for (const outcome of outcomes) {
    const simulation = simulationOf.get(outcome.simulationId)!;
    const key = JSON.stringify([simulation.test_version_id, outcome.graderId, outcome.criterion]);
    const group = groups.get(key);
    if (!group) {
      const counts = { passed: 0, failed: 0, inconclusive: 0, notGraded: 0, errored: 0, [FIELD[outcome.verdict]]: 1 };
      groups.set(key, { simulation, outcome, counts });
      continue;
    }
    group.counts[FIELD[outcome.verdict]]++;
    if (WORTH_SEEING[outcome.verdict] <= WORTH_SEEING[group.outcome.verdict]) continue;
    group.simulation = simulation;
    group.outcome = outcome;
  }
}

/**
 * Sorts graders that count for the verdict first, then by the number of failures, then by the number of undecided
 * outcomes, both descending.
 */
export function sortedGroups(groups: Map<string, BehaviorGroup>, verdict: Verdict | undefined): BehaviorGroup[] {
  const some = [...groups.values()].filter(({ counts }) => verdict === undefined || counts[FIELD[verdict]] > 0);
  const undecided = ({ counts }: BehaviorGroup) => counts.inconclusive + counts.errored + counts.notGraded;
  return some.sort(
    (one, other) =>
      Number(other.outcome.counts) - Number(one.outcome.counts) ||
      other.counts.failed - one.counts.failed ||
      undecided(other) - undecided(one),
  );
}

export function presentBehavior(
  { simulation, outcome, counts }: BehaviorGroup,
  testVersion: number,
  evidence: Grade["evidence"],
): RunBehavior {
  return {
    testId: simulation.test_id,
    testVersionId: simulation.test_version_id,
    testVersion,
    testName: simulation.test_name,
    graderId: outcome.graderId,
    graderName: outcome.graderName,
    criterion: outcome.criterion,
    decidedBy: outcome.decidedBy,
    counts: outcome.counts,
    ...counts,
    example:
      outcome.verdict === "passed"
        ? null
        : {
            simulationId: simulation.id,
            personaName: simulation.persona_name,
            iteration: simulation.iteration,
            verdict: outcome.verdict,
            reason: outcome.reason,
            evidence: evidence.find(({ quote }) => quote !== null) ?? null,
          },
  };
}
