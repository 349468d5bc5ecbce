import { every } from "../../every.ts";
import { inParallel } from "../../in-parallel.ts";
import type { Log } from "../../log.ts";
import { isFinal, type TraceCursor } from "../../traces/rules.ts";
import type { TraceReader } from "../../traces/store/trace-store.ts";
import type { TraceSummaryRow } from "../../traces/summary-row.ts";
import { erroredGrades, type GradeConversation } from "../grade.ts";
import { type Grader, pinned } from "../grader.ts";
import type { GraderStore } from "../store/graders.ts";
import type { Checkpoint, ProductionStore } from "../store/production.ts";
import { evidenceOfProduction, isSampled, nameOf, namesOf } from "./sampling.ts";

const CONVERSATIONS_AT_ONCE = 4;
const PAGE = 200;

type Parts = {
  traces: TraceReader;
  graders: GraderStore;
  store: ProductionStore;
  grade: GradeConversation;
  log: Log;
  everyMs: number;
};

/**
 * Grades production conversations once they are final, each once by each grader version that samples it. They are taken in
 * the order of their last span; the checkpoint stays before the first that is not final yet, so that a restart looks again
 * at what lies behind it and finds there what is graded already.
 */
export function startProductionGrading({ traces, graders, store, grade, log, everyMs }: Parts) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const grading = every(everyMs, gradeProjects, signal, (error) =>
    log.error({ err: error }, "grading production conversations failed"),
  );

  async function gradeProjects(): Promise<void> {
    for (const checkpoint of await store.checkpoints()) if (!signal.aborted) await gradeProject(checkpoint);
  }

  async function gradeProject({ projectId, projectNumber, receivedMs }: Checkpoint): Promise<void> {
    const sampling = await graders.forProduction(projectId);
    if (sampling.length === 0) return store.forget(projectId);
    let isBehindOpen = false;
    for await (const rows of receivedSince(projectNumber, receivedMs)) {
      const done = rows.map(() => false);
      await inParallel([...rows.entries()], CONVERSATIONS_AT_ONCE, async ([at, row]) => {
        if (!signal.aborted) done[at] = await settle(projectId, projectNumber, row, sampling);
      });
      if (signal.aborted) return;
      const open = done.indexOf(false);
      const last = open === -1 ? rows.at(-1) : rows[open - 1];
      if (!isBehindOpen && last) await store.advance(projectId, last.lastReceivedMs);
      isBehindOpen ||= open !== -1;
    }
  }

  async function* receivedSince(project: number, receivedFromMs: number): AsyncGenerator<TraceSummaryRow[]> {
    const sort = { by: "lastReceived", descending: false } as const;
    const filters = { source: "production", receivedFromMs } as const;
    for (let after: TraceCursor | undefined; ;) {
      const { rows, next } = await traces.list({ project, limit: PAGE, sort, after, filters });
      if (rows.length > 0) yield rows;
      if (next === null) return;
      after = next;
    }
  }

  /** False when the conversation is not final yet. */
  async function settle(
    projectId: string,
    projectNumber: number,
    row: TraceSummaryRow,
    sampling: readonly Grader[],
  ): Promise<boolean> {
    if (!isFinal(row, Date.now())) return false;
    const name = nameOf(row);
    const sampled = sampling.filter((grader) => isSampled(grader, name));
    if (sampled.length === 0) return true;
    const gradedBy = await store.gradedBy(projectId, namesOf(row));
    const due = sampled.filter(({ current }) => !gradedBy.has(current.id)).map(pinned);
    if (due.length === 0) return true;
    const found = await traces.find(projectNumber, row.traceId);
    if (found === null) return true;
    if (!isFinal(found.summary, Date.now())) return false;
    const evidence = evidenceOfProduction(found.summary, found.spans, found.truncated);
    const grades = await grade({ evidence, behaviors: [], graders: due, seed: name, signal }).catch(
      (error: unknown) => {
        log.error(
          { err: error, project: projectId, conversation: name },
          "a production conversation could not be graded",
        );
        return erroredGrades(due, "The grading failed on our side; the log says why.");
      },
    );
    if (signal.aborted) return false;
    await store.keep(projectId, name, grades);
    return true;
  }

  return {
    /** What is not graded yet is found at the next start. */
    async close(): Promise<void> {
      stopping.abort();
      await grading.idle();
    },
  };
}
