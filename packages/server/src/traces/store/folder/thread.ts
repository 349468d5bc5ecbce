import { serveCalls } from "../../../base/threads/serve-calls.ts";
import { findVersionConversations, listAgentVersions, setVersionAttributes } from "../index/agent-versions.ts";
import { countConversations, countEndings, isIndexed, listCounted } from "../index/counts.ts";
import { tracesOf } from "../index/due-conversations.ts";
import { listConversations } from "../index/list.ts";
import { listTurns } from "../index/list-turns.ts";
import { conversationsBefore, namesOf, withDigests } from "../index/names.ts";
import { createReadingWaits } from "../index/reading-waits.ts";
import { findProjects, findRow, findSummary, lastOfAgents, lastSentMs, readSince, watch } from "../index/reads.ts";
import { markForRemap } from "../index/remap.ts";
import { summariesOf } from "../index/summaries.ts";
import { DAY_MS } from "../day.ts";
import { BODIES_MAX, bodiesOf, createCountSpans } from "./bodies.ts";
import { createFolderEraser } from "./erase.ts";
import { createFolderExporter } from "./export.ts";
import type { StoreFace, ThreadLog } from "./messages.ts";
import { TRACES_MAX } from "./read-round.ts";
import { openReaderThread } from "./reader-thread-client.ts";
import { isDamage, openFolder } from "./store.ts";

// The one thread that owns the index and the samples.

serveCalls<StoreFace>(async ({ dataDir, memoryLimitMb, journalVersion, damaged }, { tell, fail }) => {
  const log: ThreadLog = (level, message, details) => tell.log(level, message, logDetails(details));
  const store = await openFolder({
    dataDir,
    memoryLimitMb,
    damaged,
    log,
    reader: openReaderThread({ dataDir, journalVersion }, tell.damagedRecord),
    onCommitted: tell.committed,
    onRead: tell.read,
    onFailed: fail,
    onWriteRefused: tell.writeRefused,
  });
  const { db, loop, samples } = store;
  const count = createCountSpans(db);
  const areRead = createReadingWaits(db, loop.wake);
  const eraser = createFolderEraser(store, { dataDir, journalVersion });
  const exporter = createFolderExporter(store, dataDir);

  /** Runs a read after the commit of the waiting batches, so that the read sees the spans that were added before. */
  async function query<T>(work: () => Promise<T>): Promise<T> {
    await store.commitWaiting();
    return work();
  }

  // If the thread died while DuckDB works, the whole process would end. `fail` ends the thread in order instead.
  process.on("uncaughtException", fail);
  tell.committed({ lsn: store.loadedLsn, batches: 0 });

  return {
    calls: {
      list: (request) => query(() => listConversations(count, db, request)),
      listTurns: (request) => query(() => listTurns(db, request)),
      findBodies: (project, traceId, spansMax, signal) =>
        query(async () => {
          const version = Atomics.load(journalVersion, 0);
          const row = await findRow(db, project, traceId);
          if (row === undefined) return null;
          if (!row.is_read) await watch(db, project, traceId, loop.wake);
          signal?.throwIfAborted();
          const summary = (await summariesOf(count, db, [row]))[0]!;
          if (summary.spans > spansMax) return { summary, index: null };
          const bodies = await bodiesOf(db, await tracesOf(db, [row], TRACES_MAX), BODIES_MAX);
          const truncated = summary.traces > TRACES_MAX || bodies.length === BODIES_MAX;
          return { summary, bodies, truncated, journalVersion: version };
        }),
      findSummary: (project, traceId) => query(() => findSummary(count, db, project, traceId)),
      areRead: (reads) => query(() => areRead(reads)),
      findProjects: (projects, traceId) => query(() => findProjects(db, projects, traceId)),
      metrics: (request) => query(() => store.moveSamples().then(() => samples.metrics(request))),
      countConversations: (period) => query(() => countConversations(db, period)),
      countEndings: (period) => query(() => countEndings(db, period)),
      countToolCalls: (period) => query(() => store.moveSamples().then(() => samples.countToolCalls(period))),
      listCounted: (request) =>
        query(() =>
          isIndexed(request) ? listCounted(db, request) : store.moveSamples().then(() => samples.listCounted(request)),
        ),
      countOccurrences: (period) => query(() => store.moveSamples().then(() => samples.countOccurrences(period))),
      readSpread: (request) => query(() => store.moveSamples().then(() => samples.readSpread(request))),
      listAgentVersions: (project, agents) => query(() => listAgentVersions(db, project, agents)),
      readVersion: (request) =>
        query(async () => {
          await store.moveSamples();
          const { total, conversations } = await findVersionConversations(db, request);
          const read = await samples.ofReadings(conversations.map(({ reading }) => reading));
          return { total, conversations: conversations.map(({ names, hasErrors }) => ({ names, hasErrors })), ...read };
        }),
      readSince: (project, after, limit) => query(() => readSince(count, db, project, after, limit)),
      remap: (project, all) => query(() => markForRemap(db, project, all).finally(loop.wake)),
      lastSentMs: (project) => query(() => lastSentMs(db, project)),
      lastOfAgents: (project, agents) => query(() => lastOfAgents(db, project, agents)),
      conversationsBefore: (day, project) => query(() => conversationsBefore(db, day * DAY_MS, project)),
      namesOf: (project, traceId) => query(() => namesOf(db, project, traceId)),
      withDigests: (project, digests) => query(() => withDigests(db, project, digests)),
      ...eraser,
      exportDays: (project) => query(() => exporter.days(project)),
      exportTable: (selection, file) => query(() => exporter.write(selection, file)),
      add: store.add,
      commitSoon: () => void store.commitWaiting(),
      setVersionAttributes: (attributes) => setVersionAttributes(db, attributes),
      drain: store.drain,
    },
    isFatal: isDamage,
    async close() {
      await exporter.close();
      await store.close();
    },
    async abandon() {
      try {
        await exporter.close();
        await store.abandon();
      } catch (error) {
        log("warn", "the failed trace store could not be closed", { error });
      }
    },
  };
});

/** Renames `error` in the details of a log line to `err`, which the logger serializes. */
function logDetails(details: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details ?? {}).map(([key, value]) => [key === "error" ? "err" : key, value]),
  );
}
