import { setImmediate as nextTurn } from "node:timers/promises";
import { encodeJson } from "../../../http/json-pieces.ts";
import { serveCalls, transfer } from "../../../serve-calls.ts";
import { conversationOf } from "../../conversation.ts";
import { journalDir } from "../../journal/segments.ts";
import { presentTrace } from "../../present.ts";
import { openBodyReader } from "../body-reader.ts";
import { rowsIn } from "../span-index.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser, JSON_BYTES_MAX, type SpanRow, withDetails } from "../span-row.ts";
import type { FoundConversation, NotPresented, PresenterFace } from "./messages.ts";

// The thread that turns the spans of a conversation into an answer. It works in slices, so that a small conversation does
// not wait for a large one.

const SLICE_MS = 8;
const ROWS_PER_MESSAGE = 500;
/** Under load, the threads that answer and load go first. */
const NICENESS = 10;

serveCalls<PresenterFace>(({ dataDir, journalVersion, showsCredentials }, { tell }) => {
  const bodies = openBodyReader(journalDir(dataDir), tell.damagedRecord);
  let versionOfBodies = 0;

  /** Returns what `map` makes of each span of the conversation, and whether some are missing. */
  async function readRows<Value>(
    found: FoundConversation,
    bytesMax: number,
    pause: Pause,
    map: (row: SpanRow) => Value,
  ): Promise<{ values: Value[]; truncated: boolean }> {
    if ("lines" in found) return readLines(found, bytesMax, pause, map);
    const { index, truncated, journalVersion: version } = found;
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

  return {
    calls: {
      json: (request, signal) =>
        unlessStopped(async () => {
          const { summary, bytesMax, nowMs, upToDate } = request;
          const pause = pausesOf(signal);
          const { values: spans, truncated } = await readRows(request, bytesMax, pause, createSpanParser());
          const conversation = conversationOf(spans);
          await pause();
          const trace = presentTrace(summary, spans, conversation, truncated, nowMs, upToDate, showsCredentials);
          const { pieces } = await encodeJson(trace, () => !signal.aborted);
          signal.throwIfAborted();
          return transfer(
            [...pieces],
            pieces.map(({ buffer }) => buffer),
          );
        }),
      rows: (found, number) =>
        unlessStopped(async () => {
          const { values: rows, truncated } = await readRows(found, Number.POSITIVE_INFINITY, pausesOf(), (row) => row);
          for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE)
            tell.rows(number, rows.slice(at, at + ROWS_PER_MESSAGE));
          return { truncated };
        }),
    },
  };
}, NICENESS);

/** The reason why a conversation is not presented. */
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

/** Returns what `map` makes of each span of lines. */
async function readLines<Value>(
  { lines, truncated }: Extract<FoundConversation, { lines: Uint8Array }>,
  bytesMax: number,
  pause: Pause,
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

/** Lets other calls run when a slice is over; throws once the call is canceled. */
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
