import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { notFound } from "../../base/errors.ts";
import { every } from "../../base/async/every.ts";
import type { ServiceContext } from "../../context.ts";
import { isUpgradeCopy } from "../../stores/folder/upgrade-copy.ts";
import { DAY_MS, dayOf } from "../store/day.ts";
import type { TraceSelection } from "../store/trace-store.ts";
import type { Traces } from "../open.ts";
import { digestsOf } from "./deleted-conversations.ts";
import { createDeletionStore, type Deletion } from "../store/deletions.ts";
import { createWitnessRow } from "../store/clock-witness-row.ts";
import { type RetainingProject, retentionsOf, startRetention } from "./retention.ts";

/** The texts that a feature stores about conversations. Each text is stored under a conversation's name or one of its trace ids. */
export type ConversationTexts = {
  /** Throws if the feature still works on the conversation, so that it cannot be deleted. */
  refuseDeletion?: (projectId: string, names: readonly string[]) => Promise<void>;
  eraseConversations: (projectId: string, names: readonly string[]) => Promise<void>;
  /**
   * Erases the texts of conversations that ended before `time`, and texts about conversations that were written before
   * `time`.
   */
  eraseBefore: (time: string, projectId?: string) => Promise<void>;
};

const HOUR_MS = 60 * 60 * 1000;
const RETRY_MS = 5_000;
/** The pause after a rewrite of the trace store's tables, as a multiple of the rewrite's duration. */
const REWRITE_PAUSE_FACTOR = 20;

/**
 * Finishes the deletions that a stop of the service interrupted, and then resolves. If the trace store is still loading the journal,
 * resolves at once and finishes the deletions later.
 */
export async function openErasure(context: ServiceContext, traces: Traces, texts: readonly ConversationTexts[]) {
  const { config, db, relational, log, conditions } = context;
  const { eraser, intake, deleted, damage } = traces;
  const store = createDeletionStore(db);
  const stopping = new AbortController();
  const { signal } = stopping;
  let rewriteTimer: NodeJS.Timeout | undefined;
  let rewriteNotBefore = 0;
  let retryTimer: NodeJS.Timeout | undefined;
  let finishing: Promise<void> | undefined;
  const stopped = new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );
  stopped.catch(() => undefined);

  deleted.recordDropsWith(async ({ project, spans }, newTraceIds) => {
    const owner = await store.recordDrop(project, spans, newTraceIds);
    conditions.report({
      code: "spans_of_deleted_conversations",
      organizationId: owner?.organizationId ?? null,
      projectId: owner?.id ?? null,
      degrades: false,
      needsAction: false,
      message: "Spans of deleted conversations arrived and were dropped.",
      remedy:
        "Do nothing when a sender repeated old spans. When the spans were new, give each new conversation a new job, session or room.",
      count: spans,
    });
    // Earlier spans of these traces may already be stored, because they did not have the deleted name.
    if (newTraceIds.length > 0) void erase(project, { traceIds: newTraceIds, names: [] }).catch(logFailure);
  });

  for (const [project, digests] of await store.listDigests()) deleted.add(project, digests);
  finishing = finishDeletions();
  if (!intake.isCatchingUp()) await finishing;
  const hourly = every(HOUR_MS, eraseLeftovers, signal, logFailure);

  startRetention({
    what: "conversations",
    tellsHolds: true,
    witness: createWitnessRow(db, "conversations"),
    listRetentions: async () => retentionsOf(config.retentionDays, await store.listRetentions()),
    eraseBefore,
    log,
    signal,
  });

  function logFailure(error: unknown): void {
    if (!signal.aborted) log.error({ err: error }, "erasing conversations failed; the service tries again");
  }

  /** Erases deleted traces that are in the trace store again, for example after a copy of the journal was restored. */
  async function eraseLeftovers(): Promise<void> {
    for (const [project, digests] of await store.listDigests()) {
      await loaded();
      const traceIds = await eraser.withDigests(project, digests);
      if (traceIds.length > 0) await erase(project, { traceIds, names: [] });
    }
    relational.emptyLog();
    await rewrite();
  }

  /** Finishes interrupted deletions. After an error, for example when the trace store is not reachable, tries again later. */
  async function finishDeletions(): Promise<void> {
    try {
      for (const deletion of await store.listUnfinished()) await finish(deletion);
    } catch (error) {
      logFailure(error);
      retrySoon();
    }
  }

  function retrySoon(): void {
    if (signal.aborted) return;
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      finishing = finishDeletions();
    }, RETRY_MS);
  }

  /** Resolves when the accepted spans are in the trace store. Rejects when the service stops before that. */
  function loaded(): Promise<void> {
    return Promise.race([intake.loaded(), stopped]);
  }

  async function erase(project: number, selection: TraceSelection): Promise<void> {
    await loaded();
    await eraser.erase(project, selection);
    rewriteSoon();
  }

  async function finish(deletion: Deletion): Promise<void> {
    const { project, selection } = deletion;
    await erase(project.number, selection);
    const names = [...selection.names, ...selection.traceIds];
    for (const { eraseConversations } of texts) await eraseConversations(project.id, names);
    removeKeptAside(Infinity);
    await store.finish(deletion);
    relational.emptyLog();
  }

  /** Erases what is older than `day`, in the project `only`, or in all projects when `only` is null. */
  async function eraseBefore(day: number, only: RetainingProject | null): Promise<number> {
    // The index of the trace store finds the bodies of one project, so all accepted spans must be in the index.
    if (only !== null) await loaded();
    for (const { project, names } of await eraser.conversationsBefore(day, only?.number)) {
      const owner = await store.findProject(project);
      if (owner !== undefined) for (const { eraseConversations } of texts) await eraseConversations(owner, names);
    }
    const time = new Date(day * DAY_MS).toISOString();
    for (const text of texts) await text.eraseBefore(time, only?.id);
    const dropped = await eraser.dropDaysBefore(day, only?.number);
    damage.forgetRemoved();
    removeKeptAside(dayOf(Date.now()) * DAY_MS);
    relational.emptyLog();
    await rewrite();
    return dropped;
  }

  /** Removes damaged stores and copies made before upgrades that are older than `timeMs`, because they contain old conversations. */
  function removeKeptAside(timeMs: number): void {
    for (const file of readdirSync(config.dataDir)) {
      const path = join(config.dataDir, file);
      const isDamaged = file.includes(".damaged-");
      if ((!isDamaged && !isUpgradeCopy(file)) || statSync(path).mtimeMs >= timeMs) continue;
      rmSync(path, { recursive: true, force: true });
      if (isDamaged) conditions.clear("trace_store_was_damaged");
    }
  }

  async function rewrite(): Promise<void> {
    const start = performance.now();
    if (await eraser.rewrite()) {
      const tookMs = Math.round(performance.now() - start);
      rewriteNotBefore = performance.now() + REWRITE_PAUSE_FACTOR * tookMs;
      log.info({ tookMs }, "rewrote the tables of the trace store without erased rows");
    }
  }

  function rewriteSoon(): void {
    if (signal.aborted) return;
    rewriteTimer ??= setTimeout(
      () => {
        rewriteTimer = undefined;
        void rewrite().catch(logFailure);
      },
      Math.min(HOUR_MS, Math.max(0, rewriteNotBefore - performance.now())),
    );
  }

  return {
    async deleteConversation(project: { id: string; number: number }, traceId: string): Promise<void> {
      const selection = await eraser.namesOf(project.number, traceId);
      if (selection === null) throw notFound();
      for (const { refuseDeletion } of texts)
        await refuseDeletion?.(project.id, [...selection.names, ...selection.traceIds]);
      const deletion = await store.create(project, selection);
      deleted.add(project.number, digestsOf(selection));
      intake.forgetBodies();
      try {
        await finish(deletion);
      } catch (error) {
        // The client may be unable to repeat the deletion, because the trace is already gone. The service erases the remaining texts
        // itself.
        retrySoon();
        throw error;
      }
    },
    async close(): Promise<void> {
      stopping.abort();
      clearTimeout(rewriteTimer);
      clearTimeout(retryTimer);
      await Promise.all([hourly.idle(), finishing]);
    },
  };
}
