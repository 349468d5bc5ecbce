import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { createJournalEraser } from "../../journal/erase.ts";
import { journalDir } from "../../journal/segments.ts";
import { areRead } from "./are-read.ts";
import { readSince } from "./changes.ts";
import { createDecoder } from "../../otlp/decoder.ts";
import { DAY_MS } from "../day.ts";
import { isDamage, isRefusedWrite } from "./damage.ts";
import { isInterrupted, withDeadline } from "./database.ts";
import { dropDaysBefore } from "./drop-days.ts";
import { conversationsBefore, eraseTraces, namesOfConversation, tracesWithDigests } from "./erase-traces.ts";
import { exportDays, exportTable } from "./export.ts";
import { listTraces } from "./list.ts";
import { openLoader } from "./loader.ts";
import type { ThreadCalls, ThreadEvent, ThreadLog, ThreadRequest } from "./messages.ts";
import { countConversations, countToolCalls, readMetrics } from "./metrics.ts";
import { buffersOf } from "../span-index.ts";
import { changingJournal } from "../journal-version.ts";
import { type ConversationIndex, findIndex, findProjects, findSummary, lastSentMs } from "./reads.ts";
import { markForRemap } from "./remap.ts";

// The one thread that owns the database: it receives batches and calls as messages.

const READ_DEADLINE_MS = 15_000;

const port = parentPort!;
const send = (event: ThreadEvent, transfer: ArrayBuffer[] = []) => port.postMessage(event, transfer);
const log: ThreadLog = (level, message, details) => send({ kind: "log", level, message, details: logDetails(details) });
const [opening] = (await once(port, "message")) as [Extract<ThreadRequest, { kind: "open" }>];
const { dataDir, memoryLimitMb, journalVersion, damaged } = opening.options;

let hasFailed = false;
const loader = await openLoader({
  dataDir,
  journalVersion,
  memoryLimitMb,
  damaged,
  log,
  onCommitted: (progress) => send({ kind: "committed", ...progress }),
  onProjected: (dueSinceMs) => send({ kind: "projected", dueSinceMs }),
  onFailed: fail,
  onWriteRefused: (refusal) => send({ kind: "writes", refusal }),
  onDamagedRecord: (address) => send({ kind: "damaged_record", address }),
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

const calls: ThreadCalls = {
  list: (request) => query(() => listTraces(read, request)),
  findIndex: (project, traceId, spansMax, canceled) => {
    loader.watch([{ project, traceId }]);
    return query(async () =>
      Atomics.load(canceled, 0) === 0 ? findIndex(read, journalVersion, days, project, traceId, spansMax) : null,
    );
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
  drain: loader.drain,
  close: loader.close,
};

port.on("message", (request: ThreadRequest) => {
  if (hasFailed) return;
  if (request.kind === "batch") loader.add(request.batch);
  else if (request.kind === "commit_soon") loader.commitSoon();
  else if (request.kind === "call") void answer(request.id, request.call, request.args);
});

// Closing the port ends the thread in order: a thread that dies while DuckDB works takes the whole process with it.
process.on("uncaughtException", fail);

function fail(failure: unknown): void {
  if (hasFailed) return;
  hasFailed = true;
  send({ kind: "failed", error: failure, damaged: isDamage(failure) });
  void end();
}

async function end(): Promise<void> {
  try {
    await lastRead;
    await loader.abandon();
  } catch (error) {
    log("warn", "the failed trace store could not be closed", { error });
  }
  port.close();
}

async function answer(id: number, call: keyof ThreadCalls, args: unknown[]): Promise<void> {
  try {
    const value = await (calls[call] as (...args: unknown[]) => Promise<unknown>)(...args);
    const index = call === "findIndex" ? (value as ConversationIndex | null)?.index : undefined;
    send({ kind: "answer", id, value }, index ? buffersOf(index) : []);
  } catch (error) {
    if (isDamage(error)) return fail(error);
    send({
      kind: "failure",
      id,
      error,
      interrupted: isInterrupted(error),
      refusedWrite: isRefusedWrite(error),
    });
  }
  if (call === "close") port.close();
}

/** Renames `error` in the details of a log line to `err`, the name that the log serializes. */
function logDetails(details: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details ?? {}).map(([key, value]) => [key === "error" ? "err" : key, value]),
  );
}

send({ kind: "ready", loadedLsn: loader.loadedLsn });
