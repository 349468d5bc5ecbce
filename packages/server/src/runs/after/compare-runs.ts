import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { RunComparison } from "@svc/contract";
import { AppError } from "../../errors.ts";
import { compareRuns, keyOf, type SimulationResult } from "../../grading/compare.ts";
import { median } from "../../grading/statistics.ts";
import type { Transcript } from "../play/transcript.ts";
import type { RunRow, SimulationRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";

const ROWS_AT_ONCE = 200;

type Result = SimulationResult & Pick<SimulationRow, "id" | "test_id" | "test_name" | "persona_name">;

/** Compares two runs; refuses a run without all its verdicts. */
export async function compareStoredRuns(store: RunStore, first: RunRow, second: RunRow): Promise<RunComparison> {
  const [before, after] = [await resultsOf(store, first), await resultsOf(store, second)];
  const { regressed, mended, ...comparison } = compareRuns(before, after);
  const simulationOf = new Map(before.map((result) => [keyOf(result), result.id]));
  const changed = (results: SimulationResult[]) =>
    (results as Result[]).map((result) => ({
      testId: result.test_id,
      testVersionId: result.testVersionId,
      testName: result.test_name,
      personaName: result.persona_name,
      iteration: result.iteration,
      firstSimulationId: simulationOf.get(keyOf(result))!,
      secondSimulationId: result.id,
    }));
  return {
    firstRunId: first.id,
    secondRunId: second.id,
    ...comparison,
    regressed: changed(regressed),
    mended: changed(mended),
  };
}

/** Reads pages of long transcripts and lets other work proceed between them. */
async function resultsOf(store: RunStore, run: RunRow): Promise<Result[]> {
  const results: Result[] = [];
  for (let before: string | undefined; ;) {
    const { items, next } = await store.listSimulationsWithTranscripts(run.id, { limit: ROWS_AT_ONCE, before });
    if (items.some(({ grading }) => grading !== "settled"))
      throw new AppError("conflict", `The run ${run.id} is still under way; compare when every verdict is given.`);
    results.push(...items.map(resultOf));
    if (next === null) return results;
    before = next;
    await yieldToOthers();
  }
}

const resultOf = (row: SimulationRow): Result => ({
  id: row.id,
  test_id: row.test_id,
  test_name: row.test_name,
  persona_name: row.persona_name,
  testVersionId: row.test_version_id,
  persona: row.persona_id,
  iteration: row.iteration,
  verdict: row.verdict ?? "not_graded",
  latencyMs: latencyOf(row.transcript),
});

/** Returns the median time from the caller's words to the agent's first answer; null when the agent answered nothing. */
function latencyOf(transcript: string | null): number | null {
  if (transcript === null) return null;
  const { turns }: Transcript = JSON.parse(transcript);
  const times = turns.flatMap(({ role, startedMs, endedMs }, index) =>
    role === "agent" && turns[index - 1]?.role === "caller" ? [endedMs - startedMs] : [],
  );
  return times.length === 0 ? null : median(times);
}
