import { type Connection, rowsOf } from "../../stores/analytics.ts";
import { conversationOf } from "../conversation.ts";
import type { Bodies } from "./bodies.ts";
import type { LoaderLog } from "./loader.ts";
import { hexId, readSpans, SPANS_MAX, type SpanRow, toStoredSpans, type Whereabouts } from "./spans.ts";

const TRACES_PER_ROUND = 64;
const PREVIEW_CHARACTERS = 200;
const TRANSCRIPT_CHARACTERS = 32_000;

type Projection = { turns: number | null; toolCalls: number | null; preview: string | null; transcript: string | null };

const UNKNOWN: Projection = { turns: null, toolCalls: null, preview: null, transcript: null };

/**
 * Reads what was said from the spans of the traces that changed, the longest unchanged first, and writes it to their
 * rows. Answers whether there may be more to do.
 */
export async function openProjector(write: Connection, bodies: Bodies, days: Set<number>, log: LoaderLog) {
  await write.run(
    "CREATE TEMP TABLE projected (project UINTEGER, trace_id UHUGEINT, lsn BIGINT, turns UINTEGER, tool_calls UINTEGER, preview VARCHAR, transcript VARCHAR)",
  );
  const appender = await write.createAppender("projected", "main", "temp");

  async function projectSome(): Promise<boolean> {
    const changed = await changedTraces(write);
    let round = withinBounds(changed);
    if (round.length === 0) return false;
    let { rows, truncated } = await readSpans(write, bodies, days, round);
    if (truncated && round.length > 1) {
      round = round.slice(0, 1);
      ({ rows, truncated } = await readSpans(write, bodies, days, round));
    }
    const byTrace = Map.groupBy(rows, (row) => `${row.project} ${row.trace_id}`);
    for (const trace of round) {
      const id = BigInt(`0x${trace.traceId}`);
      const projection = project(byTrace.get(`${trace.project} ${id}`) ?? [], trace, truncated, log);
      appender.appendUInteger(trace.project);
      appender.appendUHugeInt(id);
      appender.appendBigInt(trace.lsn);
      for (const count of [projection.turns, projection.toolCalls]) {
        if (count === null) appender.appendNull();
        else appender.appendUInteger(count);
      }
      for (const text of [projection.preview, projection.transcript]) {
        if (text === null) appender.appendNull();
        else appender.appendVarchar(text);
      }
      appender.endRow();
    }
    appender.flushSync();
    try {
      await write.run(
        `UPDATE traces t SET projected_lsn = p.lsn, turns = p.turns, tool_calls = p.tool_calls, preview = p.preview,
         transcript = p.transcript FROM temp.projected p WHERE t.project = p.project AND t.trace_id = p.trace_id`,
      );
    } finally {
      await write.run("TRUNCATE temp.projected");
    }
    return changed.length === TRACES_PER_ROUND || round.length < changed.length;
  }

  return { projectSome };
}

type Changed = Whereabouts & { spans: number };

async function changedTraces(write: Connection): Promise<Changed[]> {
  type Row = {
    project: number;
    trace_id: bigint;
    first_day: number;
    last_day: number;
    first_lsn: bigint;
    lsn: bigint;
    spans: number;
  };
  const rows = await rowsOf<Row>(
    write,
    `SELECT project, trace_id, first_day, last_day, first_lsn, lsn, spans FROM traces
     WHERE projected_lsn < lsn ORDER BY lsn LIMIT ${TRACES_PER_ROUND}`,
  );
  return rows.map((row) => ({
    project: row.project,
    traceId: hexId(row.trace_id, 32),
    firstDay: row.first_day,
    lastDay: row.last_day,
    firstLsn: row.first_lsn,
    lsn: row.lsn,
    spans: row.spans,
  }));
}

/** The first, and those after it whose spans fit the same read. */
function withinBounds(changed: Changed[]): Changed[] {
  let spans = 0;
  const end = changed.findIndex((trace) => (spans += trace.spans) > SPANS_MAX);
  return end === -1 ? changed : changed.slice(0, Math.max(1, end));
}

function project(rows: SpanRow[], trace: Changed, truncated: boolean, log: LoaderLog): Projection {
  try {
    const conversation = conversationOf(toStoredSpans(rows));
    if (conversation.vocabulary === null) return UNKNOWN;
    const texts = conversation.turns.flatMap((turn) => turn.text ?? []);
    return {
      turns: truncated ? null : conversation.turns.length,
      toolCalls: truncated ? null : conversation.toolCalls.length,
      preview: texts[0]?.slice(0, PREVIEW_CHARACTERS).toWellFormed() ?? null,
      transcript: texts.length === 0 ? null : texts.join("\n").slice(0, TRANSCRIPT_CHARACTERS).toWellFormed(),
    };
  } catch (error) {
    log("error", "a conversation could not be read from its spans", {
      project: trace.project,
      trace: trace.traceId,
      error,
    });
    return UNKNOWN;
  }
}
