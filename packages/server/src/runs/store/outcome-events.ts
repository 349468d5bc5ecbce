import type { Run } from "@svc/contract";
import { sql } from "kysely";
import { findAgent } from "../../agents/store/find-agent.ts";
import { isFailed, type NewGrade } from "../../grading/graders/grader.ts";
import { recordEvent } from "../../stores/events.ts";
import type { Db } from "../../stores/relational.ts";
import { recordToGroup } from "../../stores/ungrouped-failures.ts";
import { presentOutcome, presentRun } from "../present.ts";
import type { RunRow, SimulationSummaryRow } from "../rules.ts";
import { presentScheduledRun } from "../scheduled-runs.ts";
import { owesVerdict } from "./columns.ts";
import { createPassRateStore } from "./pass-rates.ts";
import { readChanges } from "./scheduled-runs.ts";
import { countSimulations, findScheduleNames, findStarters } from "./run-facts.ts";

const FAILED_SHOWN = 20;

/** Returns whether the run has ended and no ended simulation waits for its verdict. */
export async function isRunDone(db: Db, runId: string): Promise<boolean> {
  const { ended_at } = await readRun(db, runId);
  if (ended_at === null) return false;
  // The concatenation prevents the database from using the index on `run_id`. Instead, it uses the partial index of simulations
  // without a verdict, which is short.
  const isOfRun = sql<boolean>`run_id || '' = ${runId}`;
  const ungraded = db.selectFrom("simulations").select("id").where(isOfRun).where(owesVerdict).limit(1);
  return (await ungraded.executeTakeFirst()) === undefined;
}

/** Returns a run of any project. Throws when it does not exist. */
export const readRun = (db: Db, id: string): Promise<RunRow> =>
  db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Records the event `run.completed` once, if the run has ended and has all its verdicts. */
export async function recordRunDone(tx: Db, runId: string): Promise<void> {
  if (!(await isRunDone(tx, runId))) return;
  const row = await readRun(tx, runId);
  const run: Run = presentRun(row, {
    agentName: (await findAgent(tx, row.project_id, row.agent_id)).name,
    counts: (await countSimulations(tx, [runId])).get(runId) ?? [],
    tests: (await createPassRateStore(tx).tallyTests([runId])).get(runId) ?? [],
    startedBy: (await findStarters(tx, [runId])).get(runId) ?? null,
    scheduleName: row.schedule_id && ((await findScheduleNames(tx, [row.schedule_id])).get(row.schedule_id) ?? null),
  });
  const [changes] = row.schedule_id === null ? [] : await readChanges(tx, row.schedule_id, [row]);
  await recordEvent(tx, row.project_id, {
    type: "run.completed",
    about: runId,
    agentName: run.agentName,
    data: { run, scheduled: changes ? presentScheduledRun(changes) : null },
    once: true,
  });
}

/** Updates the queue of conversations whose failures must be grouped. Records `simulation.failed` once for the verdict `failed`. */
export async function recordIfFailed(tx: Db, row: SimulationSummaryRow, grades: readonly NewGrade[]): Promise<void> {
  const hasFailed = row.verdict === "failed";
  const { id: conversation, project_id: projectId } = row;
  await recordToGroup(tx, { projectId, source: "simulation", conversation, traceId: row.trace_id ?? "", hasFailed });
  if (!hasFailed) return;
  const { agent_id } = await readRun(tx, row.run_id);
  const failed = grades.filter(isFailed);
  await recordEvent(tx, row.project_id, {
    type: "simulation.failed",
    about: row.id,
    subject: row.run_id,
    agentName: (await findAgent(tx, row.project_id, agent_id)).name,
    data: {
      simulation: presentOutcome(row),
      failed: [...new Set(failed.map(({ criterion }) => criterion))].slice(0, FAILED_SHOWN),
    },
    once: true,
  });
}
