import { setPriority } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { encodeJson } from "../../../http/json-pieces.ts";
import { conversationOf } from "../../conversation.ts";
import { journalDir } from "../../journal/segments.ts";
import { presentTrace } from "../../present.ts";
import { openBodyReader } from "../body-reader.ts";
import { rowsIn } from "../span-index.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser, JSON_BYTES_MAX, type SpanRow, withDetails } from "../span-row.ts";
import type { PresenterEvent, PresenterOptions, PresenterRequest } from "./messages.ts";

// The thread that turns the spans of a conversation into an answer. It works in slices, so that a small conversation does
// not wait for a large one.

const SLICE_MS = 8;
const ROWS_PER_MESSAGE = 500;
/** On Linux a thread has its own priority: under load, the threads that answer and load go first. */
const PRIORITY = 10;

const port = parentPort!;
const { dataDir, journalVersion, showsCredentials } = workerData as PresenterOptions;
const send = (event: PresenterEvent, transfer: ArrayBuffer[] = []) => port.postMessage(event, transfer);
const bodies = openBodyReader(journalDir(dataDir), (address) => send({ kind: "damaged_record", address }));
let versionOfBodies = 0;

if (process.platform === "linux") setPriority(PRIORITY);

class Stopped extends Error {
  readonly kind: "too_large" | "outdated" | "canceled";

  constructor(kind: Stopped["kind"]) {
    super(kind);
    this.kind = kind;
  }
}

port.on("message", (request: PresenterRequest) => void answer(request));

async function answer(request: PresenterRequest): Promise<void> {
  const { id } = request;
  try {
    await (request.as === "json" ? sendJson(request) : sendRows(request));
  } catch (error) {
    if (error instanceof Stopped) send({ id, kind: error.kind });
    else send({ id, kind: "failure", error });
  }
}

async function sendJson(request: PresenterRequest): Promise<void> {
  const pause = pausesOf(request);
  const { values: spans, truncated } = await readRows(request, pause, createSpanParser());
  const conversation = conversationOf(spans);
  await pause();
  const { summary, nowMs, upToDate } = request;
  const trace = presentTrace(summary, spans, conversation, truncated, nowMs, upToDate, showsCredentials);
  const isWanted = () => request.canceled[0] === 0;
  const { pieces } = await encodeJson(trace, isWanted);
  if (!isWanted()) throw new Stopped("canceled");
  send(
    { id: request.id, kind: "json", pieces: [...pieces] },
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

async function sendRows(request: PresenterRequest): Promise<void> {
  const { id } = request;
  const pause = pausesOf(request);
  const { values: rows, truncated } = await readRows(request, pause, (row) => row);
  for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE)
    send({ id, kind: "rows", rows: rows.slice(at, at + ROWS_PER_MESSAGE) });
  send({ id, kind: "complete", truncated });
}

/** Returns what `map` makes of each span of the conversation, and whether some are missing. */
async function readRows<Value>(
  request: PresenterRequest,
  pause: () => Promise<void> | undefined,
  map: (row: SpanRow) => Value,
): Promise<{ values: Value[]; truncated: boolean }> {
  if ("lines" in request) return readLines(request, pause, map);
  const { index, truncated, bytesMax, journalVersion: version } = request;
  const current = Atomics.load(journalVersion, 0);
  if (current !== versionOfBodies) bodies.close();
  versionOfBodies = current;
  const reading = withDetails([...rowsIn(index)], bodies.holding(), map, Math.min(bytesMax, JSON_BYTES_MAX));
  for (let next = reading.next(); ; next = reading.next()) {
    if (Atomics.load(journalVersion, 0) !== version) throw new Stopped("outdated");
    if (next.done !== true) {
      await pause();
      continue;
    }
    const { values, jsonBytes, truncated: isCut } = next.value;
    if (jsonBytes > bytesMax || (isCut && bytesMax < JSON_BYTES_MAX)) throw new Stopped("too_large");
    return { values, truncated: truncated || isCut };
  }
}

/** Returns what `map` makes of each span of lines. */
async function readLines<Value>(
  { lines, truncated, bytesMax }: Extract<PresenterRequest, { lines: Uint8Array }>,
  pause: () => Promise<void> | undefined,
  map: (row: SpanRow) => Value,
): Promise<{ values: Value[]; truncated: boolean }> {
  if (lines.byteLength > bytesMax) throw new Stopped("too_large");
  const values: Value[] = [];
  for (const row of rowsOfLines(lines)) {
    values.push(map(row));
    await pause();
  }
  return { values, truncated };
}

/** Returns a function that lets other requests run when a slice is over, and that throws once the request is canceled. */
function pausesOf({ canceled }: PresenterRequest): () => Promise<void> | undefined {
  let sliceStartedAt = performance.now();
  const nextSlice = async () => {
    await nextTurn();
    sliceStartedAt = performance.now();
  };
  return () => {
    if (Atomics.load(canceled, 0) !== 0) throw new Stopped("canceled");
    return performance.now() - sliceStartedAt > SLICE_MS ? nextSlice() : undefined;
  };
}
