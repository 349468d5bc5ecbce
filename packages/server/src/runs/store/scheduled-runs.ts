import { sql } from "kysely";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { RunRow } from "../rules.ts";
import { changesOf, type PlayedRun, type RunChanges, RUNS_BEFORE } from "../scheduled-runs.ts";

export const listRunsOfSchedule = (db: Db, scheduleId: string, page: PageRequest): Promise<Page<RunRow>> =>
  readPage(db.selectFrom("runs").selectAll().where("schedule_id", "=", scheduleId), page);

/** `runs` and the result are newest first. */
export async function readChanges(db: Db, scheduleId: string, runs: readonly RunRow[]): Promise<RunChanges[]> {
  const last = runs.at(-1);
  if (last === undefined) return [];
  const before = await listRunsOfSchedule(db, scheduleId, { limit: RUNS_BEFORE, before: last.id });
  return changesOf(await readPlayed(db, [...runs, ...before.items])).slice(0, runs.length);
}

export async function readPlayed(db: Db, runs: readonly RunRow[]): Promise<PlayedRun[]> {
  if (runs.length === 0) return [];
  const rows = await db
    .selectFrom("simulations")
    .select(["run_id", "test_id", "test_version_id", "persona_id"])
    .select(({ fn }) => [
      fn.max("test_name").as("test_name"),
      fn.countAll<number>().as("iterations"),
      countIf("grading = 'settled' AND verdict = 'passed'").as("passed"),
      countIf("grading = 'settled' AND verdict = 'failed'").as("failed"),
      countIf("grading <> 'settled'").as("open"),
    ])
    .where(
      "run_id",
      "in",
      runs.map(({ id }) => id),
    )
    .groupBy(["run_id", "test_id", "test_version_id", "persona_id"])
    .execute();
  const ofRuns = Map.groupBy(rows, ({ run_id }) => run_id);
  return runs.map((run) => {
    const tests = ofRuns.get(run.id) ?? [];
    return {
      run,
      isSettled: run.ended_at !== null && tests.every(({ open }) => Number(open) === 0),
      tests: tests.map(({ test_id, test_name, iterations, passed, failed }) => ({
        testId: test_id,
        testName: test_name,
        iterations: Number(iterations),
        passed: Number(passed),
        failed: Number(failed),
      })),
    };
  });
}

const countIf = (condition: string) => sql<number>`sum(CASE WHEN ${sql.raw(condition)} THEN 1 ELSE 0 END)`;
