import { every } from "../../../base/async/every.ts";
import { inParallel } from "../../../base/async/in-parallel.ts";
import { createRecentCache } from "../../../base/async/recent-cache.ts";
import type { Log } from "../../../base/log/log.ts";
import { inSpan } from "../../../base/own-spans.ts";
import type { DeletedConversations } from "../../../traces/erasure/deleted-conversations.ts";
import { isFinal, type TraceSummaryRow } from "../../../traces/summary-row.ts";
import type { TraceCursor } from "../../../traces/rules.ts";
import type { TraceReader } from "../../../traces/store/trace-store.ts";
import { erroredGrades, type GradeConversation } from "../grade-conversation.ts";
import { pinGrader, type ProjectGrader } from "../grader.ts";
import type { GraderStore } from "../store/graders.ts";
import type { ProductionLease, ProductionStore } from "../store/production.ts";
import { evidenceOfProduction, isSampled, nameOf, namesOf } from "./sampling.ts";

const CONVERSATIONS_AT_ONCE = 4;
const PAGE = 200;
/** Largest number of conversations that the process remembers as graded, so that it does not query the database for them again. */
const REMEMBERED = 20_000;

/** Only specs change the pace. */
export type ProductionPace = {
  everyMs: number;
  /** Length of the lease on a project's conversations. The process renews the lease before it ends. */
  leaseMs: number;
};

const PACE: ProductionPace = { everyMs: 30_000, leaseMs: 30_000 };

type Needs = {
  traces: TraceReader;
  isDeleted: DeletedConversations["isDeleted"];
  graders: GraderStore;
  store: ProductionStore;
  grade: GradeConversation;
  log: Log;
  pace?: Partial<ProductionPace> | undefined;
};

/**
 * Grades production conversations in the background, in the order in which their last spans arrived. Each grader version grades each final
 * conversation that it samples once. The checkpoint stays before the first conversation that is not final. The next search therefore finds
 * later conversations again and skips them, because they have their grades. A lease ensures that only one process at a time grades the
 * conversations of a project.
 */
export function startProductionGrading({ traces, isDeleted, graders, store, grade, log, pace = {} }: Needs) {
  const { everyMs, leaseMs } = { ...PACE, ...pace };
  const stopping = new AbortController();
  const { signal } = stopping;
  const graded = createRecentCache<true>(REMEMBERED);
  const grading = every(everyMs, gradeProjects, signal, (error) =>
    log.error({ err: error }, "production conversations could not be graded; the service tries again"),
  );

  async function gradeProjects(): Promise<void> {
    for (const project of await store.listProjects()) if (!signal.aborted) await gradeProject(project);
  }

  type Project = { projectId: string; projectNumber: number };

  async function gradeProject(project: Project): Promise<void> {
    const { projectId } = project;
    const sampling = await graders.listForProduction(projectId);
    if (sampling.length === 0) return store.deleteUnusedCheckpoint(projectId);
    const lease = await store.lease(projectId, leaseMs);
    if (lease === undefined) return;
    const ended = new AbortController();
    const renewing = every(
      leaseMs / 3,
      () => store.renew(projectId, leaseMs),
      ended.signal,
      (error) =>
        log.warn({ err: error, project: projectId }, "the lease on production conversations could not be renewed"),
    );
    try {
      await gradeReceived(project, lease, sampling);
    } finally {
      ended.abort();
      await renewing.idle();
      await store.release(projectId);
    }
  }

  async function gradeReceived(
    { projectId, projectNumber }: Project,
    { receivedMs }: ProductionLease,
    sampling: readonly ProjectGrader[],
  ): Promise<void> {
    const samplingKey = sampling
      .map(({ current, settings }) => `${current.id} ${settings.productionSampleRate}`)
      .join();
    let isBehindOpen = false;
    for await (const rows of receivedSince(projectNumber, receivedMs)) {
      const done = rows.map(() => false);
      await inParallel([...rows.entries()], CONVERSATIONS_AT_ONCE, async ([at, row]) => {
        const look = `${projectId} ${row.traceId} ${row.lastReceivedMs} ${samplingKey}`;
        if (signal.aborted) return;
        done[at] = graded.get(look) ?? (await gradeIfFinal(projectId, projectNumber, row, sampling));
        if (done[at]) graded.set(look, true);
      });
      if (signal.aborted) return;
      const open = done.indexOf(false);
      const last = open === -1 ? rows.at(-1) : rows[open - 1];
      if (!isBehindOpen && last) await store.advanceCheckpoint(projectId, last.lastReceivedMs);
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

  /** Grades a conversation. Returns false if more spans of the conversation may arrive. */
  async function gradeIfFinal(
    projectId: string,
    projectNumber: number,
    row: TraceSummaryRow,
    sampling: readonly ProjectGrader[],
  ): Promise<boolean> {
    if (!isFinal(row, Date.now())) return false;
    const name = nameOf(row);
    const sampled = sampling.filter((grader) => isSampled(grader, name));
    if (sampled.length === 0) return true;
    const gradedBy = await store.versionsThatGraded(projectId, namesOf(row));
    const due = sampled.filter(({ current }) => !gradedBy.has(current.id)).map(pinGrader);
    if (due.length === 0) return true;
    const found = await traces.find(projectNumber, row.traceId);
    if (found === null) return true;
    if (!isFinal(found.summary, Date.now())) return false;
    const evidence = evidenceOfProduction(found.summary, found.spans, found.truncated, found.lostSpans);
    const grades = await inSpan("grade", { attributes: { "svc.trace_id": row.traceId } }, () =>
      grade({ projectId, evidence, behaviors: [], graders: due, seed: name, signal }),
    ).catch((error: unknown) => {
      log.error(
        { err: error, project: projectId, conversation: name },
        "a production conversation could not be graded",
      );
      return erroredGrades(due, "The service failed to grade this; its log has the cause.");
    });
    if (signal.aborted) return false;
    const { conversation, agent, agentVersion, channel, startedNs, traceId } = found.summary;
    const startedAt = new Date(Number(startedNs / 1_000_000n)).toISOString();
    const of = { agentName: agent, agentVersion, channel, startedAt };
    const graded = { name, names: namesOf(found.summary), traceId, ...of };
    const names = { traceIds: found.summary.traceIds, names: conversation === null ? [] : [conversation] };
    await store.insertGrades(projectId, graded, grades, () => isDeleted(projectNumber, names));
    return true;
  }

  return {
    /** Stops the grading. The next start continues with the conversations that are not graded. */
    async close(): Promise<void> {
      stopping.abort();
      await grading.idle();
    },
  };
}
