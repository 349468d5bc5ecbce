import { parentPort, workerData } from "node:worker_threads";
import { isInterrupted, withDeadline } from "../../stores/analytics.ts";
import { type LoaderLog, openLoader } from "./loader.ts";
import { journalDir } from "../journal/segments.ts";
import { dropDaysBefore } from "./drop-days.ts";
import type { FromLoader, LoaderCalls, LoaderData, ToLoader } from "./messages.ts";
import { readMetrics } from "./metrics.ts";
import { markForReading } from "./remap.ts";
import { listTraces } from "./list.ts";
import { lastSent, readSummary, readTrace } from "./reads.ts";

/** The thread that alone owns the analytics database: batches come in by message, and so do questions. */
const READ_DEADLINE_MS = 15_000;

const port = parentPort!;
const send = (message: FromLoader) => port.postMessage(message);
const log: LoaderLog = (level, message, details) => send({ kind: "log", level, message, details: plain(details) });
const { dataDir, memoryLimitMb } = workerData as LoaderData;

const loader = await openLoader({
  dataDir,
  memoryLimitMb,
  log,
  onCommitted: (committed) => send({ kind: "committed", ...committed }),
});
const { read, days, bodies } = loader;

/** A connection runs one query at a time, and one that waits for it would hold a thread that the journal's disk needs. */
let reading: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const answer = reading.then(work);
  reading = answer.catch(() => undefined);
  return answer;
}
const question = <T>(work: () => Promise<T>) => inTurn(() => withDeadline(read, READ_DEADLINE_MS, work));

const calls: LoaderCalls = {
  listTraces: (request) => question(() => listTraces(read, request)),
  readTrace: (project, traceId) => question(() => readTrace(read, bodies, days, project, traceId)),
  readSummary: (project, traceId) => question(() => readSummary(read, project, traceId)),
  readMetrics: (request) => question(() => readMetrics(read, request)),
  remap: (project, all) => loader.ask((write) => markForReading(write, project, all)),
  lastSent: (project) => question(() => lastSent(read, project)),
  dropDaysBefore: (day) =>
    loader.ask((write) =>
      inTurn(async () => {
        bodies.close();
        await dropDaysBefore(write, days, day, journalDir(dataDir));
      }),
    ),
  settle: loader.settle,
  close: loader.close,
};

port.on("message", (message: ToLoader) => {
  if (message.kind === "batch") loader.add(message.batch);
  else void answer(message.id, message.call, message.args);
});

// Ends the thread in order: a thread that dies while DuckDB works takes the whole process with it.
process.on("uncaughtException", (error) => {
  loader.stop();
  send({ kind: "failed", error });
  port.close();
});

async function answer(id: number, call: keyof LoaderCalls, args: unknown[]): Promise<void> {
  try {
    send({ kind: "answer", id, value: await (calls[call] as (...args: unknown[]) => Promise<unknown>)(...args) });
  } catch (error) {
    send({ kind: "failure", id, error, interrupted: isInterrupted(error) });
  }
  if (call === "close") port.close();
}

/** Errors cross a thread with their class and message, other values as they are. */
function plain(details: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details ?? {}).map(([key, value]) => [key === "error" ? "err" : key, value]),
  );
}

send({ kind: "ready", loadedLsn: loader.loadedLsn });
