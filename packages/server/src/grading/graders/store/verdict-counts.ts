import type { Verdict, VerdictCounts } from "@svc/contract";
import { dialectOf } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { type GradedSimulation, lastGrades } from "./grades.ts";
import type { NamedPlace } from "./production.ts";

const NAMES_PER_QUERY = 400;

function countsOf(verdicts: Iterable<Verdict>): VerdictCounts {
  const counts = { passed: 0, failed: 0, undecided: 0 };
  for (const verdict of verdicts) counts[verdict === "passed" || verdict === "failed" ? verdict : "undecided"]++;
  return counts;
}

/** Counts the verdicts on each conversation. Only each grader's newest grade counts. The keys are indexes in the list of conversations. */
export async function countProductionVerdicts(
  db: Db,
  projectId: string,
  conversations: readonly NamedPlace[],
): Promise<Map<number, VerdictCounts>> {
  const placeOf = new Map(conversations.flatMap(({ names }, place) => names.map((name) => [name, place] as const)));
  const names = [...placeOf.keys()];
  const { jsonText } = dialectOf(db);
  const newest = new Map<number, Map<string, { id: string; verdict: Verdict }>>();
  for (let from = 0; from < names.length; from += NAMES_PER_QUERY) {
    const rows = await db
      .selectFrom("production_grades")
      .select(["id", "conversation"])
      .select([jsonText("grade", "graderId").as("graderId"), jsonText<Verdict>("grade", "verdict").as("verdict")])
      .where("project_id", "=", projectId)
      .where("conversation", "in", names.slice(from, from + NAMES_PER_QUERY))
      .execute();
    for (const { id, conversation, graderId, verdict } of rows) {
      const place = placeOf.get(conversation)!;
      const ofPlace = newest.get(place) ?? new Map<string, { id: string; verdict: Verdict }>();
      newest.set(place, ofPlace);
      const known = ofPlace.get(graderId);
      if (known === undefined || known.id < id) ofPlace.set(graderId, { id, verdict });
    }
  }
  return new Map(
    [...newest].map(([place, grades]) => [place, countsOf([...grades.values()].map((one) => one.verdict))]),
  );
}

export async function countSimulationVerdicts(
  db: Db,
  simulations: readonly GradedSimulation[],
): Promise<Map<string, VerdictCounts>> {
  const graded = simulations.filter(({ gradings }) => gradings > 0);
  if (graded.length === 0) return new Map();
  const rows = await lastGrades(db, graded)
    .select(["simulation_id", dialectOf(db).jsonText<Verdict>("grade", "verdict").as("verdict")])
    .execute();
  const bySimulation = Map.groupBy(rows, ({ simulation_id }) => simulation_id);
  return new Map([...bySimulation].map(([id, grades]) => [id, countsOf(grades.map(({ verdict }) => verdict))]));
}
