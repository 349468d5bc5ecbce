import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import type { BodyReader } from "../body-reader.ts";
import { EMPTY_READING, readingOf, type StoredReading } from "../reading.ts";
import { type SpanRow, toStoredSpans } from "../span-row.ts";
import { inTransaction, type WritingDatabase } from "./database.ts";
import { createWaiting, type DueConversation } from "./due-readings.ts";
import { groupsOf, KEYED_TRACES } from "./groups.ts";
import type { ThreadLog } from "./messages.ts";
import { createReadingWriter } from "./readings.ts";
import { EXTENT_COLUMNS, type ExtentColumns, readSpans, toExtent, TRACES_MAX } from "./spans.ts";
import { sharedLsn } from "./statements.ts";
import type { SummaryColumns } from "./summaries.ts";

const SPANS_PER_ROUND = 4_000;

/** Selects all traces of the waiting conversations from one place to another; none of them began before the record `firstLsn`. */
const tracesFrom = (firstLsn: number) => `
  SELECT t.*, d.place FROM (${KEYED_TRACES} WHERE first_lsn >= ${firstLsn}) t
  JOIN (SELECT * FROM temp.waiting WHERE place BETWEEN $1::BIGINT AND $2::BIGINT) d
  ON d.project = t.project AND d.key = t.key`;

type ChosenConversation = { project: number; key: string; place: number; spans: number; traces: number } & Pick<
  SummaryColumns,
  "root_end_ns" | "ended_ns" | "received_last_ms"
>;

export type Projector = {
  /**
   * Derives and stores the readings of conversations that follow each other in the temporary table `waiting`, as many as fit
   * into one read; returns the place of the last one.
   */
  project: (due: readonly DueConversation[]) => Promise<number>;
};

export async function createProjector(
  database: WritingDatabase,
  bodies: BodyReader,
  days: Set<number>,
  log: ThreadLog,
): Promise<Projector> {
  const { write, statements } = database;
  const readings = await createReadingWriter(database);
  await createWaiting(write);
  await write.run(`CREATE TEMP TABLE chosen AS FROM (${tracesFrom(0).replace(/\$\d/g, "0")}) LIMIT 0`);

  async function project(due: readonly DueConversation[]): Promise<number> {
    const [from, to] = [due[0]!.place, due.at(-1)!.place];
    const firstLsn = Math.min(...due.map((conversation) => Number(conversation.first_lsn)));
    await statements.run("TRUNCATE temp.chosen");
    await statements.run(`INSERT INTO temp.chosen ${tracesFrom(sharedLsn(firstLsn))}`, [BigInt(from), BigInt(to)]);
    const chosen = await statements.rowsOf<ChosenConversation>(
      `SELECT project, key, place, spans, traces, root_end_ns, ended_ns, received_last_ms
       FROM (${groupsOf("FROM temp.chosen")}) JOIN (SELECT DISTINCT project, key, place FROM temp.chosen) USING (project, key)
       ORDER BY place`,
    );
    let round = withinBounds(chosen);
    if (round.length === 0) return to; // deleted since the look
    const extents = await statements.rowsOf<ExtentColumns & { key: string }>(
      `SELECT ${EXTENT_COLUMNS}, key FROM temp.chosen
       QUALIFY row_number() OVER (PARTITION BY project, key ORDER BY started_ns, trace_id) <= ${TRACES_MAX}`,
    );
    let spans = await spansOf(round, extents);
    if (spans.truncated && round.length > 1) {
      round = round.slice(0, 1);
      spans = await spansOf(round, extents);
    }
    const conversations = round.map((chosen) => {
      const rows = spans.byConversation.get(conversationId(chosen)) ?? [];
      return { ...chosen, ...read(rows, spans.truncated || chosen.traces > TRACES_MAX, chosen) };
    });
    await inTransaction(write, () => readings.replace(conversations, MAPPING_VERSION));
    await readings.free();
    return round.length < chosen.length ? round.at(-1)!.place : to;
  }

  async function spansOf(round: readonly ChosenConversation[], extents: (ExtentColumns & { key: string })[]) {
    const wanted = new Set(round.map(conversationId));
    const traces = extents.filter((extent) => wanted.has(conversationId(extent)));
    const conversationOfTrace = new Map(
      traces.map((trace) => [`${trace.project} ${trace.trace_id}`, conversationId(trace)]),
    );
    const { rows, truncated } = await readSpans(write, bodies, days, traces.map(toExtent), {
      byStart: round.length === 1,
    });
    const byConversation = Map.groupBy(rows, (row) => conversationOfTrace.get(`${row.project} ${row.trace_id}`));
    return { byConversation, truncated };
  }

  function read(rows: SpanRow[], truncated: boolean, chosen: ChosenConversation): StoredReading {
    const { project, key } = chosen;
    try {
      return readingOf(toStoredSpans(rows), truncated, {
        rootEnded: chosen.root_end_ns !== null,
        endedNs: chosen.ended_ns,
        lastReceivedMs: Number(chosen.received_last_ms),
      });
    } catch (error) {
      log("error", "a conversation could not be read from its spans", { project, conversation: key, error });
      return EMPTY_READING;
    }
  }

  return { project };
}

const conversationId = ({ project, key }: { project: number; key: string }) => `${project} ${key}`;

/** Returns the first conversation and those after it whose spans fit into the same read. */
function withinBounds(changed: ChosenConversation[]): ChosenConversation[] {
  let spans = 0;
  const end = changed.findIndex((conversation) => (spans += conversation.spans) > SPANS_PER_ROUND);
  return end === -1 ? changed : changed.slice(0, Math.max(1, end));
}
