import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import { listConversations } from "../index/list.ts";
import { DAY_MS } from "../day.ts";
import { listsIn, rowOf, type SpanLine } from "../span-lines.ts";
import { hexId } from "../span-row.ts";
import type { ReceivedSpan, SpanSource } from "../trace-store.ts";
import { type ClickHouse, integer, openClickHouse, traceLiteral } from "./client.ts";
import { listDays } from "./export-rows.ts";
import { countSpans, LINE, TEXT_BYTES } from "./spans.ts";

/** A span that exceeds the limits of a page is a page of its own. */
const SPANS_MAX = 8_192;
const BYTES_MAX = 16 * 1024 * 1024;
const DAY_US = DAY_MS * 1000;

const ORDER = "received_us, project, trace_id, span_id";
const NAMES = "received_us, conversation_rank, conversation, agent, service";
type Line = [...SpanLine, receivedUs: string, rank: number, conversation: string, agent: string, service: string];

/** Changes nothing in the store. */
export async function openClickHouseSpans(url: string, db: Db): Promise<SpanSource> {
  const clickHouse = await openClickHouse(url);
  try {
    await clickHouse.rowsOf(`SELECT 1 FROM ${clickHouse.table("spans")} LIMIT 1`);
  } catch (error) {
    await clickHouse.close();
    throw error;
  }
  return {
    list: (request) => listConversations((traces) => countSpans(clickHouse, traces), db, request),

    async countFormerReadings() {
      const { rows } = await sql<{ count: number }>`
        SELECT count(*) AS count FROM conversations
        WHERE traces > 0 AND mapping_version < ${MAPPING_VERSION}`.execute(db);
      return rows[0]!.count;
    },

    async *pages() {
      for (const day of await listDays(clickHouse))
        for await (const page of pagesBetween(clickHouse, day * DAY_US, (day + 1) * DAY_US))
          yield await indexedSpans(db, page);
    },

    close: clickHouse.close,
  };
}

/** If a trace is not in the index, its conversation is deleted, or its spans are not acknowledged yet. */
async function indexedSpans(db: Db, page: readonly ReceivedSpan[]): Promise<ReceivedSpan[]> {
  const keyed = page.map((span) => ({ span, project: span.project, trace_id: hexId(span.trace_id, 32) }));
  const wanted = [
    ...new Map(keyed.map(({ project, trace_id }) => [`${project} ${trace_id}`, { project, trace_id }])).values(),
  ];
  const { rows } = await sql<{ project: number; trace_id: string }>`
    SELECT project, trace_id FROM traces
    JOIN json_to_recordset(${JSON.stringify(wanted)}::json) AS wanted(project integer, trace_id text)
    USING (project, trace_id)`.execute(db);
  const indexed = new Set(rows.map(({ project, trace_id }) => `${project} ${trace_id}`));
  return keyed.filter(({ project, trace_id }) => indexed.has(`${project} ${trace_id}`)).map(({ span }) => span);
}

/** Finds the end of each page first, so that the texts of later spans are not read. */
async function* pagesBetween(clickHouse: ClickHouse, fromUs: number, endUs: number): AsyncGenerator<ReceivedSpan[]> {
  let last: ReceivedSpan | undefined;
  for (let from = fromUs; from < endUs;) {
    const to = await timeBehind(clickHouse, from, endUs);
    const page = await readPage(clickHouse, from, to, last);
    if (page.length > 0) yield page;
    last = page.at(-1) ?? last;
    from = page.length > 0 ? last!.receivedUs : to;
  }
}

/** Returns the end of a period from `fromUs` with at most `SPANS_MAX` + 1 spans; with more only if spans have the same time. */
async function timeBehind({ rowsOf, table }: ClickHouse, fromUs: number, endUs: number): Promise<number> {
  const [row] = await rowsOf<{ us: string }>(
    `SELECT received_us AS us FROM ${table("spans")}
     WHERE received_us >= ${integer(fromUs)} AND received_us < ${integer(endUs)}
     ORDER BY received_us LIMIT 1 OFFSET ${SPANS_MAX}`,
  );
  return row === undefined ? endUs : Number(row.us) + 1;
}

/** Stops at `BYTES_MAX` bytes of texts, which the last span may exceed. */
async function readPage(
  { linesOf, table }: ClickHouse,
  fromUs: number,
  endUs: number,
  last: ReceivedSpan | undefined,
): Promise<ReceivedSpan[]> {
  const behind = last === undefined ? "" : `AND (${ORDER}) > (${keyOf(last)})`;
  const lines = await linesOf(
    `SELECT ${LINE}, ${NAMES} FROM (
       SELECT *, sum(${TEXT_BYTES}) OVER (ORDER BY ${ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
       FROM ${table("spans")} WHERE received_us >= ${integer(fromUs)} AND received_us < ${integer(endUs)} ${behind})
     WHERE bytes_before < ${BYTES_MAX} ORDER BY ${ORDER}`,
  );
  return Array.from(listsIn<Line>(lines), toSpan);
}

const keyOf = ({ receivedUs, project, trace_id, span_id }: ReceivedSpan) =>
  `${integer(receivedUs)}, ${integer(project)}, ${traceLiteral(hexId(trace_id, 32))}, toUInt64('${span_id}')`;

function toSpan(line: Line): ReceivedSpan {
  const [receivedUs, conversationRank, conversation, agent, service] = line.slice(-5) as [
    string,
    number,
    string,
    string,
    string,
  ];
  return {
    ...rowOf(line as unknown as SpanLine),
    receivedUs: Number(receivedUs),
    conversationRank,
    conversation: conversation || null,
    agent: agent || null,
    service: service || null,
  };
}
