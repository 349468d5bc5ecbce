import { setImmediate as nextTurn } from "node:timers/promises";
import { encodeJson } from "../../../http/json-pieces.ts";
import { serveCalls, transfer } from "../../../base/threads/serve-calls.ts";
import { conversationOf } from "../../conversation/conversation.ts";
import { unmarkedToolErrors } from "../../conversation/failed-tools.ts";
import { journalDir } from "../../journal/segments.ts";
import { presentTrace } from "../../present.ts";
import { createBodyDecoder, openBodyReader } from "../body-reader.ts";
import { rowsOfBodies, SPANS_LOOKED_MAX, withDetails } from "../body-rows.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser, JSON_BYTES_MAX, type SpanRow } from "../span-row.ts";
import type { FoundConversation, NotPresented, PresenterFace, SpansRead } from "./messages.ts";

// The thread that turns the spans of a conversation into an answer. It works in slices, so that a small conversation does not wait for a
// large conversation.

const SLICE_MS = 8;
const ROWS_PER_MESSAGE = 500;
/** Lower priority, so that under load the threads that answer requests and load spans run first. */
const NICENESS = 10;

serveCalls<PresenterFace>(({ dataDir, journalVersion }, { tell }) => {
  const bodies = openBodyReader(journalDir(dataDir), tell.damagedRecord, createBodyDecoder());
  let versionOfBodies = 0;

  async function readRows<Value>(
    found: FoundConversation,
    bytesMax: number,
    pause: Pause,
    map: (row: SpanRow) => Value,
  ): Promise<ReadValues<Value>> {
    if ("lines" in found) return readLines(found, bytesMax, pause, map);
    const { bodies: own, truncated, journalVersion: version } = found;
    const current = Atomics.load(journalVersion, 0);
    if (current !== versionOfBodies) bodies.close();
    versionOfBodies = current;
    const isOutdated = () => Atomics.load(journalVersion, 0) !== version;
    const readBody = bodies.holding();
    const inSlices = async <Result>(work: Generator<undefined, Result>): Promise<Result> => {
      for (;;) {
        const next = orOutdated(() => work.next(), isOutdated);
        if (next.done === true) return next.value;
        await pause();
      }
    };
    const { rows, total, errors, lost } = await inSlices(rowsOfBodies(own, readBody));
    const read = await inSlices(withDetails(rows, readBody, map, Math.min(bytesMax, JSON_BYTES_MAX)));
    const { values, jsonBytes, truncated: isCut } = read;
    if (jsonBytes > bytesMax || (isCut && bytesMax < JSON_BYTES_MAX)) throw new Stopped("too_large");
    const counts = truncated || total >= SPANS_LOOKED_MAX ? undefined : { spans: total + lost, errors };
    return { values, truncated: truncated || isCut || rows.length < total, lostSpans: lost, counts };
  }

  return {
    calls: {
      json: (request, signal) =>
        unlessStopped(async () => {
          const { summary, bytesMax, nowMs, upToDate } = request;
          const pause = pausesOf(signal);
          const read = await readRows(request, bytesMax, pause, createSpanParser());
          const { values: spans, truncated, lostSpans, counts } = read;
          const conversation = conversationOf(spans, lostSpans);
          await pause();
          // The errors in the row of a derived conversation include failed tool calls. The errors counted here do not.
          const failedSpans = counts?.errors ?? (summary.isRead ? undefined : summary.errors);
          const errors =
            failedSpans === undefined ? summary.errors : failedSpans + unmarkedToolErrors(conversation, spans);
          const trace = presentTrace(
            { ...summary, ...counts, errors },
            spans,
            conversation,
            truncated,
            nowMs,
            upToDate,
          );
          const { pieces } = await encodeJson(trace, () => !signal.aborted);
          signal.throwIfAborted();
          return transfer(
            [...pieces],
            pieces.map(({ buffer }) => buffer),
          );
        }),
      rows: (found, number) =>
        unlessStopped(async () => {
          const read = await readRows(found, Number.POSITIVE_INFINITY, pausesOf(), (row) => row);
          const { values: rows, truncated, lostSpans } = read;
          for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE)
            tell.rows(number, rows.slice(at, at + ROWS_PER_MESSAGE));
          return { truncated, lostSpans };
        }),
    },
  };
}, NICENESS);

/** `counts` has the exact numbers of spans; undefined if some bodies were left out. */
type ReadValues<Value> = SpansRead & { values: Value[]; counts?: { spans: number; errors: number } | undefined };

/**
 * If the journal changed during the read, its result or error is meaningless: throws `Stopped` with the kind
 * `outdated`.
 */
function orOutdated<T>(read: () => T, isOutdated: () => boolean): T {
  try {
    const result = read();
    if (!isOutdated()) return result;
  } catch (error) {
    if (!isOutdated()) throw error;
  }
  throw new Stopped("outdated");
}

class Stopped extends Error {
  readonly kind: NotPresented;

  constructor(kind: NotPresented) {
    super(kind);
    this.kind = kind;
  }
}

async function unlessStopped<Answer>(work: () => Promise<Answer>): Promise<Answer | NotPresented> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped) return error.kind;
    throw error;
  }
}

async function readLines<Value>(
  { lines, truncated }: Extract<FoundConversation, { lines: Uint8Array }>,
  bytesMax: number,
  pause: Pause,
  map: (row: SpanRow) => Value,
): Promise<ReadValues<Value>> {
  if (lines.byteLength > bytesMax) throw new Stopped("too_large");
  const values: Value[] = [];
  for (const row of rowsOfLines(lines)) {
    values.push(map(row));
    await pause();
  }
  return { values, truncated, lostSpans: 0 };
}

/** Lets other calls run at the end of a slice. Throws once the call is canceled. */
type Pause = () => Promise<void> | undefined;

function pausesOf(signal?: AbortSignal): Pause {
  let sliceStartedAt = performance.now();
  const nextSlice = async () => {
    await nextTurn();
    signal?.throwIfAborted();
    sliceStartedAt = performance.now();
  };
  return () => (performance.now() - sliceStartedAt > SLICE_MS ? nextSlice() : undefined);
}
