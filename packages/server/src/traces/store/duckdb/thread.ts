import { serveCalls, transfer } from "../../../serve-calls.ts";
import { createJournalEraser } from "../../journal/erase.ts";
import { journalDir } from "../../journal/segments.ts";
import { areRead } from "./are-read.ts";
import { readSince } from "./changes.ts";
import { createDecoder } from "../../otlp/decoder.ts";
import { DAY_MS } from "../day.ts";
import { isDamage } from "./damage.ts";
import { withDeadline } from "./database.ts";
import { dropDaysBefore } from "./drop-days.ts";
import { conversationsBefore, eraseTraces, namesOfConversation, tracesWithDigests } from "./erase-traces.ts";
import { exportDays, exportTable } from "./export.ts";
import { listTraces } from "./list.ts";
import { openLoader } from "./loader.ts";
import type { LoaderFace, ThreadLog } from "./messages.ts";
import { countConversations, countToolCalls, readMetrics } from "./metrics.ts";
import { buffersOf } from "../span-index.ts";
import { changingJournal } from "../journal-version.ts";
import { findIndex, findProjects, findSummary, lastSentMs } from "./reads.ts";
import { markForRemap } from "./remap.ts";

// The one thread that owns the database: it receives batches and calls as messages.

const READ_DEADLINE_MS = 15_000;

serveCalls<LoaderFace>(async ({ dataDir, memoryLimitMb, journalVersion, damaged }, { tell, fail }) => {
  const log: ThreadLog = (level, message, details) => tell.log(level, message, logDetails(details));
  const loader = await openLoader({
    dataDir,
    journalVersion,
    memoryLimitMb,
    damaged,
    log,
    onCommitted: tell.committed,
    onProjected: tell.projected,
    onFailed: fail,
    onWriteRefused: tell.writeRefused,
    onDamagedRecord: tell.damagedRecord,
  });
  const { read, days } = loader;
  const journal = createJournalEraser(journalDir(dataDir));
  const decoder = createDecoder();

  /** Reads see the rows that were added before the last pause between commits, and run one at a time: a query that waits for its connection holds a libuv thread, which the journal's writes need. */
  let lastRead: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastRead.then(work);
    lastRead = result.catch(() => undefined);
    return result;
  }
  async function query<T>(work: () => Promise<T>): Promise<T> {
    await loader.caughtUp();
    return inTurn(() => withDeadline(read, READ_DEADLINE_MS, work));
  }

  // The thread ends in order: one that dies while DuckDB works takes the whole process with it.
  process.on("uncaughtException", fail);
  tell.committed({ lsn: loader.loadedLsn, batches: 0 });

  return {
    calls: {
      list: (request) => query(() => listTraces(read, request)),
      findIndex(project, traceId, spansMax, signal) {
        loader.watch([{ project, traceId }]);
        return query(async () => {
          signal?.throwIfAborted();
          const found = await findIndex(read, journalVersion, days, project, traceId, spansMax);
          return found !== null && found.index !== null ? transfer(found, buffersOf(found.index)) : found;
        });
      },
      findSummary: (project, traceId) => query(() => findSummary(read, project, traceId)),
      areRead: (reads) => {
        loader.watch(reads);
        return query(() => areRead(read, reads));
      },
      findProjects: (projects, traceId) => query(() => findProjects(read, projects, traceId)),
      metrics: (request) => query(() => readMetrics(read, request)),
      countConversations: (period) => query(() => countConversations(read, period)),
      countToolCalls: (period) => query(() => countToolCalls(read, period)),
      readSince: (project, after, limit) => query(() => readSince(read, project, after, limit)),
      remap: (project, all) => loader.afterCommit((write) => markForRemap(write, project, all)),
      lastSentMs: (project) => query(() => lastSentMs(read, project)),
      dropDaysBefore: async (day) => {
        const dropped = await loader.afterCommit((write) => inTurn(() => dropDaysBefore(write, days, day)));
        await changingJournal(journalVersion, () => journal.eraseBefore(day * DAY_MS));
        return dropped;
      },
      conversationsBefore: (day) => query(() => conversationsBefore(read, day)),
      namesOf: (project, traceId) => query(() => namesOfConversation(read, project, traceId)),
      withDigests: (project, digests) => query(() => tracesWithDigests(read, project, digests)),
      erase: (project, selection) =>
        loader.afterCommit((write) =>
          inTurn(() =>
            changingJournal(journalVersion, () => eraseTraces(write, days, journal, decoder, project, selection)),
          ),
        ),
      rewrite: () => loader.rewrite(inTurn),
      exportDays: (project) => query(() => exportDays(read, days, project)),
      exportTable: (selection, file) => inTurn(() => exportTable(read, days, selection, file)),
      add: loader.add,
      commitSoon: loader.commitSoon,
      drain: loader.drain,
    },
    isFatal: isDamage,
    close: loader.close,
    async abandon() {
      try {
        await lastRead;
        await loader.abandon();
      } catch (error) {
        log("warn", "the failed trace store could not be closed", { error });
      }
    },
  };
});

/** Renames `error` in the details of a log line to `err`, the name that the log serializes. */
function logDetails(details: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details ?? {}).map(([key, value]) => [key === "error" ? "err" : key, value]),
  );
}
