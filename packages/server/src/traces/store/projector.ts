import { type Connection, inTransaction, rowsOf } from "../../stores/analytics.ts";
import { MAPPING_VERSION } from "../vocabulary/version.ts";
import type { Bodies } from "./bodies.ts";
import { CHANGED, KEY, KEYED_TRACES } from "./groups.ts";
import type { LoaderLog } from "./loader.ts";
import { NOTHING_READ, type Reading, readingOf } from "./reading.ts";
import { openReadings } from "./readings.ts";
import { PLACE_COLUMNS, type PlaceColumns, readSpans, type SpanRow, toWhereabouts, TRACES_MAX } from "./spans.ts";

const TRACES_PER_ROUND = 128;
const SPANS_PER_ROUND = 2_000;

/** All traces of the conversations that changed: those with new spans first, the longest unchanged of them first. */
const CHOOSE = `
  CREATE OR REPLACE TEMP TABLE chosen AS
  SELECT t.*, c.place FROM (${KEYED_TRACES}) t JOIN (
    SELECT project, key, min(place) AS place FROM (
      SELECT project, ${KEY} AS key, row_number() OVER (ORDER BY NOT (${CHANGED}), lsn) AS place
      FROM traces WHERE ${CHANGED} OR reread ORDER BY place LIMIT ${TRACES_PER_ROUND}
    ) GROUP BY project, key
  ) c ON c.project = t.project AND c.key = t.key`;

type Chosen = { project: number; key: string; spans: number; traces: number };

/**
 * Reads what was said from all the spans of the conversations that changed, and writes it down in one transaction.
 * Answers whether there may be more to do.
 */
export async function openProjector(write: Connection, bodies: Bodies, days: Set<number>, log: LoaderLog) {
  const readings = await openReadings(write);

  async function projectSome(): Promise<boolean> {
    await write.run(CHOOSE);
    let round = withinBounds(
      await rowsOf<Chosen>(
        write,
        `SELECT project, key, sum(spans)::INTEGER AS spans, count(*)::INTEGER AS traces FROM temp.chosen
         GROUP BY project, key, place ORDER BY place`,
      ),
    );
    if (round.length === 0) return false;
    const places = await rowsOf<PlaceColumns & { key: string }>(
      write,
      `SELECT ${PLACE_COLUMNS}, key FROM temp.chosen
       QUALIFY row_number() OVER (PARTITION BY project, key ORDER BY started_ns, trace_id) <= ${TRACES_MAX}`,
    );
    let found = await spansOf(round, places);
    if (found.truncated && round.length > 1) {
      round = round.slice(0, 1);
      found = await spansOf(round, places);
    }
    const made = round.map((chosen) => {
      const rows = found.byConversation.get(conversationId(chosen)) ?? [];
      return { ...chosen, ...read(rows, found.truncated || chosen.traces > TRACES_MAX, chosen, log) };
    });
    await inTransaction(write, () => readings.replace(made, MAPPING_VERSION));
    return true;
  }

  async function spansOf(round: readonly Chosen[], places: (PlaceColumns & { key: string })[]) {
    const wanted = new Set(round.map(conversationId));
    const within = places.filter((place) => wanted.has(conversationId(place)));
    const conversationOfTrace = new Map(
      within.map((place) => [`${place.project} ${place.trace_id}`, conversationId(place)]),
    );
    const { rows, truncated } = await readSpans(write, bodies, days, within.map(toWhereabouts), {
      byStart: round.length === 1,
    });
    const byConversation = Map.groupBy(rows, (row) => conversationOfTrace.get(`${row.project} ${row.trace_id}`));
    return { byConversation, truncated };
  }

  return { projectSome };
}

const conversationId = ({ project, key }: { project: number; key: string }) => `${project} ${key}`;

/** The first, and those after it whose spans fit the same read. */
function withinBounds(changed: Chosen[]): Chosen[] {
  let spans = 0;
  const end = changed.findIndex((conversation) => (spans += conversation.spans) > SPANS_PER_ROUND);
  return end === -1 ? changed : changed.slice(0, Math.max(1, end));
}

function read(rows: SpanRow[], truncated: boolean, { project, key }: Chosen, log: LoaderLog): Reading {
  try {
    return readingOf(rows, truncated);
  } catch (error) {
    log("error", "a conversation could not be read from its spans", { project, conversation: key, error });
    return NOTHING_READ;
  }
}
