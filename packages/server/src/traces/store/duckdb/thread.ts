import { parentPort, workerData } from "node:worker_threads";
import { journalDir } from "../../journal/segments.ts";
import { isInterrupted, withDeadline } from "./database.ts";
import { dropDaysBefore } from "./drop-days.ts";
import { listTraces } from "./list.ts";
import { openLoader } from "./loader.ts";
import type { ThreadCalls, ThreadEvent, ThreadLog, ThreadOptions, ThreadRequest } from "./messages.ts";
import { readMetrics } from "./metrics.ts";
import { buffersOf } from "../span-index.ts";
import { changingJournal } from "../journal-version.ts";
import { type ConversationIndex, findIndex, findProjects, findSummary, lastSentMs } from "./reads.ts";
import { markForRemap } from "./remap.ts";

// The one thread that owns the database: it receives batches and calls as messages.

const READ_DEADLINE_MS = 15_000;

const port = parentPort!;
const send = (event: ThreadEvent, transfer: ArrayBuffer[] = []) => port.postMessage(event, transfer);
const log: ThreadLog = (level, message, details) => send({ kind: "log", level, message, details: logDetails(details) });
const { dataDir, memoryLimitMb, journalVersion } = workerData as ThreadOptions;

const loader = await openLoader({
  dataDir,
  memoryLimitMb,
  log,
  onCommitted: (progress) => send({ kind: "committed", ...progress }),
});
const { read, days, bodies } = loader;

/** Reads run one at a time: a query that waits for its connection holds a libuv thread, which the journal's writes need. */
let lastRead: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = lastRead.then(work);
  lastRead = result.catch(() => undefined);
  return result;
}
const query = <T>(work: () => Promise<T>) => inTurn(() => withDeadline(read, READ_DEADLINE_MS, work));

const calls: ThreadCalls = {
  list: (request) => query(() => listTraces(read, request)),
  findIndex: (project, traceId, spansMax, canceled) =>
    query(async () =>
      Atomics.load(canceled, 0) === 0 ? findIndex(read, journalVersion, days, project, traceId, spansMax) : null,
    ),
  findSummary: (project, traceId) => query(() => findSummary(read, project, traceId)),
  findProjects: (projects, traceId) => query(() => findProjects(read, projects, traceId)),
  metrics: (request) => query(() => readMetrics(read, request)),
  remap: (project, all) => loader.afterCommit((write) => markForRemap(write, project, all)),
  lastSentMs: (project) => query(() => lastSentMs(read, project)),
  dropDaysBefore: (day) =>
    loader.afterCommit((write) =>
      inTurn(async () => {
        bodies.close();
        return changingJournal(journalVersion, () => dropDaysBefore(write, days, day, journalDir(dataDir)));
      }),
    ),
  drain: loader.drain,
  close: loader.close,
};

port.on("message", (request: ThreadRequest) => {
  if (request.kind === "batch") loader.add(request.batch);
  else void answer(request.id, request.call, request.args);
});

// Closing the port ends the thread in order: a thread that dies while DuckDB works takes the whole process with it.
process.on("uncaughtException", (error) => {
  loader.stop();
  send({ kind: "failed", error });
  port.close();
});

async function answer(id: number, call: keyof ThreadCalls, args: unknown[]): Promise<void> {
  try {
    const value = await (calls[call] as (...args: unknown[]) => Promise<unknown>)(...args);
    const index = call === "findIndex" ? (value as ConversationIndex | null)?.index : undefined;
    send({ kind: "answer", id, value }, index ? buffersOf(index) : []);
  } catch (error) {
    send({ kind: "failure", id, error, interrupted: isInterrupted(error) });
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
