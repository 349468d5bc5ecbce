import type { RunGrid } from "@svc/contract";
import { passRateOf, tallyOf } from "../grading/statistics/pass-rates.ts";
import { wilson } from "../grading/statistics/statistics.ts";
import type { VersionNumbers } from "./present.ts";
import type { SimulationSummaryRow } from "./rules.ts";

type GridTest = RunGrid["tests"][number];

/** Presents all simulations of a run, which are in the order of personas and iterations, as a grid. */
export function presentGrid(rows: readonly SimulationSummaryRow[], versions: VersionNumbers): RunGrid {
  const personas = new Map(rows.map(({ persona_id, persona_name }) => [persona_id, persona_name]));
  const tests = [...Map.groupBy(rows, ({ test_version_id }) => test_version_id).values()];
  return {
    personas: [...personas].map(([personaId, personaName]) => ({ personaId, personaName })),
    tests: tests.map((simulations) => presentGridTest(simulations, versions)).sort(worstFirst),
  };
}

function presentGridTest(rows: readonly SimulationSummaryRow[], versions: VersionNumbers): GridTest {
  const first = rows[0]!;
  const played = rows.filter(({ status }) => status !== "canceled");
  const final = played.filter(({ grading }) => grading === "settled");
  const tally = tallyOf(final.map(({ verdict }) => verdict));
  const interval = wilson(tally.passed, tally.played);
  return {
    testId: first.test_id,
    testVersionId: first.test_version_id,
    testVersion: versions.get(first.test_version_id)!,
    testName: first.test_name,
    ...tally,
    pending: played.length - final.length,
    passRate: passRateOf(tally),
    passRateLow: interval && interval.low,
    passRateHigh: interval && interval.high,
    mixed: tally.passed > 0 && tally.failed > 0,
    simulations: rows.map((row) => ({
      id: row.id,
      personaId: row.persona_id,
      iteration: row.iteration,
      status: row.status,
      verdict: row.grading === "settled" ? row.verdict : null,
      behaviorsGraded: row.behaviors_graded,
      behaviorCount: row.behavior_count,
    })),
  };
}

const worstFirst = (one: GridTest, other: GridTest): number =>
  (one.passRate ?? 2) - (other.passRate ?? 2) || one.testName.localeCompare(other.testName, "en");
