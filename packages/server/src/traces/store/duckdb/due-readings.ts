import { CONVERSATION_ROOTS } from "../../identity-keys.ts";
import { type DatabaseConnection, idLiteral, integer } from "./database.ts";
import { CHANGED, KEY, KEYED_TRACES } from "./groups.ts";
import type { Statements } from "./statements.ts";

/** A conversation without new spans for this time is due; exporters send every 5 seconds. */
const QUIET_MS = 10_000;
/** A conversation is due when it has this many times the spans of its reading: all its readings cost a multiple of the last one. */
const GROWTH = 2;
const DUE_MAX = 256;
/** One look in this number takes the oldest conversations first, so that an overload leaves none unread for ever. */
const OLDEST_FIRST_EVERY = 4;

const WATCHED = 0;
export const DUE = 1;
const GROWING = 2;
const REREAD = 3;

/** A conversation of the table `waiting` that is read next, in the order of its place. */
export type DueConversation = { place: number; urgency: number; first_lsn: bigint };

export type WatchedTrace = { project: number; traceId: string };

type Look = {
  due: DueConversation[];
  /** Whether conversations still grow that have spans outside their readings and are not due. */
  hasGrowing: boolean;
  /** Whether further conversations are due. */
  isMore: boolean;
  /** Since when the longest waiting conversation is due, in Unix milliseconds; undefined when none waits. */
  dueSinceMs: number | undefined;
};

export const isGrowing = ({ urgency }: DueConversation) => urgency === GROWING;

/** Creates the temporary table `waiting`; a conversation without a place is not read next. */
export const createWaiting = (write: DatabaseConnection) =>
  write.run(`
    CREATE TEMP TABLE waiting (project UINTEGER, key VARCHAR, urgency INTEGER, since_ms BIGINT, first_lsn BIGINT, place INTEGER)`);

/**
 * Fills the temporary table `waiting` and gives places to the conversations to read next: those with new spans, then those that
 * a remap has marked. A conversation that still grows is due when it was never read, has doubled, has ended, is quiet or is
 * watched, because each reading costs as much as the whole conversation. `all` also takes those that are not due.
 */
export async function findDue(
  statements: Statements,
  look: number,
  { nowMs, watched, all }: { nowMs: number; watched: readonly WatchedTrace[]; all: boolean },
): Promise<Look> {
  const isQuiet = `abs($1::BIGINT - w.last_ms) >= ${QUIET_MS}`; // also after the clock was set back
  const newestFirst = look % OLDEST_FIRST_EVERY === 0 ? "newest" : "newest DESC";
  const isNext = all ? "true" : `urgency <> ${GROWING}`;
  await statements.run("TRUNCATE temp.waiting");
  await statements.run(
    `INSERT INTO temp.waiting
    SELECT project, key, urgency, since_ms, first_lsn, if(place <= ${DUE_MAX} AND ${isNext}, place, NULL) FROM (
    SELECT *, row_number() OVER (
      ORDER BY NOT ${isNext}, urgency, CASE WHEN urgency = ${GROWING} THEN reading END, ${newestFirst}
    )::INTEGER AS place FROM (
    SELECT w.project, w.key, w.newest, w.first_lsn, c.reading AS reading,
      CASE WHEN c.reading IS NULL THEN w.first_ms WHEN ${isQuiet} THEN w.last_ms + ${QUIET_MS} ELSE w.last_ms END AS since_ms,
      CASE WHEN w.watched AND w.changed THEN ${WATCHED} WHEN NOT w.changed THEN ${REREAD}
        WHEN c.reading IS NULL OR w.spans >= ${GROWTH} * c.spans OR ${isQuiet}
          OR w.ended AND c.root_end_ns IS NULL OR w.whole_ended AND NOT (c.root_end_ns IS NOT NULL AND ${isWhole("c.root_name")})
        THEN ${DUE} ELSE ${GROWING} END AS urgency
    FROM (
      SELECT project, key, sum(spans)::INTEGER AS spans, max(lsn) AS newest, min(first_lsn) AS first_lsn, min(received_first_ms) AS first_ms,
        max(received_last_ms) AS last_ms, max(reading) AS reading, bool_or(${CHANGED}) AS changed,
        bool_or(root_end_ns IS NOT NULL) AS ended, bool_or(root_end_ns IS NOT NULL AND ${isWhole("root_name")}) AS whole_ended,
        ${isWatched(watched)} AS watched
      FROM (${KEYED_TRACES}) SEMI JOIN (
        SELECT project, ${KEY} AS key FROM traces WHERE ${CHANGED} OR reread
      ) USING (project, key) GROUP BY project, key
    ) w LEFT JOIN conversations c ON c.reading = w.reading))`,
    [BigInt(integer(nowMs))],
  );
  const due = await statements.rowsOf<DueConversation>(
    "SELECT place, urgency, first_lsn FROM temp.waiting WHERE place IS NOT NULL ORDER BY place",
  );
  const [waiting] = await statements.rowsOf<{ growing: boolean | null; oldest: bigint | null }>(
    `SELECT bool_or(urgency = ${GROWING}) AS growing, min(since_ms) FILTER (urgency <= ${DUE}) AS oldest FROM temp.waiting`,
  );
  return {
    due,
    hasGrowing: !all && waiting!.growing === true,
    isMore: due.length === DUE_MAX,
    dueSinceMs: waiting!.oldest === null ? undefined : Number(waiting!.oldest),
  };
}

const isWhole = (name: string) => `${name} IN (${CONVERSATION_ROOTS.map((root) => `'${root}'`).join(", ")})`;

function isWatched(watched: readonly WatchedTrace[]): string {
  if (watched.length === 0) return "false";
  const traces = watched.map(({ project, traceId }) => `(${integer(project)}, ${idLiteral(traceId, "UHUGEINT")})`);
  return `bool_or((project::INTEGER, trace_id) IN (${traces.join(", ")}))`;
}
